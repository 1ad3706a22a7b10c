"""The scripts of a page, and data for them, as they stand inside it: nothing is loaded."""

import base64
import hashlib
import json
import re
from functools import cache
from importlib.resources import files
from typing import Any

# a file follows the files it uses
_ORDER = (
    *("elements", "formats", "numbers", "model", "pair", "state"),
    *("tables", "card", "matrix", "live", "changes", "controls", "page"),
)
_BESIDE = re.compile(r"(?<=[;,{(]) // .*$")  # a comment at the end of a line
_QUOTED = re.compile(r"""("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')""")
_BESIDE_SIGNS = re.compile(r" ?([=,{}():?;&|]) ?")
_UNSAFE = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"}


@cache
def scripts() -> Any:
    """All of them in one function of their own, without comments and needless space."""
    from markupsafe import Markup

    folder = files("betterthan.results").joinpath("templates", "scripts")
    lines = [
        line.strip()
        for name in _ORDER
        for line in folder.joinpath(f"{name}.js").read_text("utf-8").splitlines()
    ]
    kept = [_BESIDE.sub("", line) for line in lines if line and not line.startswith("//")]
    whole = "\n".join(['(function () {"use strict";', *map(_tight, kept), "})();"])
    if "</" in whole:
        raise ValueError("a script holds '</', which would end it inside a page")
    return Markup(whole)


def _tight(line: str) -> str:
    """A line without the spaces beside its signs, but for what stands in quotes."""
    parts = _QUOTED.split(line)
    return "".join(p if k % 2 else _BESIDE_SIGNS.sub(r"\1", p) for k, p in enumerate(parts))


def as_json(value: Any) -> Any:
    """JSON that holds nothing which could end a script or begin a tag."""
    from markupsafe import Markup

    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return Markup(text.translate(_UNSAFE))


@cache
def allowed() -> str:
    """What a browser may do for the page: run these scripts alone, and load nothing."""
    digest = base64.b64encode(hashlib.sha256(str(scripts()).encode()).digest()).decode()
    return (
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
        f"form-action 'none'; script-src 'sha256-{digest}'"
    )
