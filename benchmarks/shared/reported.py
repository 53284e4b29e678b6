"""What is measured beside what was reported before: by a first study, of networks of the same
sizes on a text of the same kind. Called by heldout_table.py and the scripts of study/.
"""


def comparison(report, rows) -> None:
    """A table of (quantity, reported before, measured, whether the direction agrees).

    The last is None where there is nothing to agree with.
    """
    said = {True: "yes", False: "no", None: "-"}
    report.table(
        ["", "reported before", "measured", "agrees"],
        [[name, reported, measured, said[agrees]] for name, reported, measured, agrees in rows],
    )
