"""Figures beside what they have to come to. Called by the scripts of scale/."""


def at_most(value: float, target: float, form: str = "g") -> str:
    return f"at most {target:{form}}: {'met' if value <= target else 'MISSED'}"


def at_least(value: float, target: float, form: str = "g") -> str:
    return f"at least {target:{form}}: {'met' if value >= target else 'MISSED'}"


def megabytes(n_bytes: float) -> str:
    return f"{n_bytes / 1e6:.0f}"
