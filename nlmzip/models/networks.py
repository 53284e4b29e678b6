"""STAND-IN until the registry lands."""
PREDICTOR_BITS = {"kn": 1, "nplm": 2, "rnn": 4, "lstm": 8, "gru": 16}
NETWORKS = tuple(name for name in PREDICTOR_BITS if name != "kn")


def predictor_byte(predictor: str) -> int:
    if predictor == "uniform":
        return 0
    parts = predictor.split("+")
    if any(part not in PREDICTOR_BITS for part in parts) or len(set(parts)) != len(parts):
        raise ValueError(predictor)
    return sum(PREDICTOR_BITS[part] for part in parts)


def predictor_name(byte: int) -> str:
    if byte >> len(PREDICTOR_BITS):
        raise ValueError(byte)
    return "+".join(name for name, bit in PREDICTOR_BITS.items() if byte & bit) or "uniform"
