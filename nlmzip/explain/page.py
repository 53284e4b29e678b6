"""The page: its data, script and style in one HTML file that asks nothing of a network.

Called by cli/explain.py. The pieces stand in page/.
"""

import json
from html import escape
from pathlib import Path

_FOLDER = Path(__file__).parent / "page"
#: The script's files, in the order in which they run.
SCRIPTS = ("data.js", "chart.js", "text.js", "tables.js", "gradients.js", "main.js")


def html(payload: dict) -> bytes:
    """The page of a payload (payload.py), UTF-8."""
    data = json.dumps(payload, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    scripts = "\n".join(_piece(name) for name in SCRIPTS)
    title = f"{payload['name']} under {payload['model']['name']}"
    parts = {
        "title": escape(title),
        "style": _piece("style.css"),
        "data": data.replace("<", "\\u003c"),  # so that no text ends the element
        "script": f'(() => {{\n"use strict";\n{scripts}}})();',
    }
    first, *rest = _piece("page.html").split("{{")
    made = [first]
    for piece in rest:
        name, after = piece.split("}}", 1)
        made += [parts[name], after]
    return "".join(made).encode("utf-8")


def _piece(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")
