"""Answers as files: numbers as JSON with a line a variable, pages as they are read.

Versions, dates and drawn figures are replaced, for they differ between machines.
"""

import json
import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import redirect_stdout
from dataclasses import fields, is_dataclass
from hashlib import sha256
from io import StringIO
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd
import xarray as xr

import betterthan as bt
from betterthan.results import reports
from betterthan.results.comparison import Comparison
from betterthan.results.kinds import build_page
from betterthan.results.reports import as_json

FORMATS = {"text": "txt", "markdown": "md", "html": "html", "latex": "tex"}
PAPERS = ("latex-table", "latex-macros", "sentence", "pull-request")
_DEEP = 4  # objects in one another that have a line for each key

_LIBRARIES = (
    "python|numpy|scipy|pandas|xarray|matplotlib|pymc|pytensor|nutpie|arviz|numba|dask|h5netcdf"
)
_NORMAL = (
    (re.compile(rf"\b({_LIBRARIES})([ =-]+)\d+(?:\.\d+)+\w*", re.I), r"\1\2VERSION"),
    (re.compile(rf"(?<![\w.]){re.escape(bt.__version__)}(?!\.?\w)"), "VERSION"),
    (re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d[\d:.+Z]*"), "DATE"),
)
_PAGE = (
    (re.compile(r"<script\b.*?</script>\s*", re.S), lambda _: ""),
    (re.compile(r"'sha256-[^']+'|&#39;sha256-.+?&#39;"), lambda _: "SCRIPTS"),
    (re.compile(r"<style>(.*?)</style>", re.S), lambda m: f"<style>{_digest(m[1])}</style>"),
    (re.compile(r"<svg\b([^>]*)>.*?</svg>", re.S), lambda m: f"<svg>{_caption(m[1])}</svg>"),
    (re.compile(r"(data:image/\w+;base64,)[\w+/=]+"), lambda m: m[1]),
)


def written(build: Callable[[], Any], texts: bool = True) -> dict[str, str]:
    """Every file of one case, by name; with `texts` also all that people read."""
    with warnings.catch_warnings(record=True) as caught, redirect_stdout(StringIO()):
        warnings.simplefilter("always")
        answer = build()
        answers = answer if isinstance(answer, tuple) else (answer,)
        files = {"data.json": dumped(_numbers_of(answers))}
        if len(answers) == 1:
            files |= dict(_texts(answer) if texts else _printed(answer))
        if texts:
            files |= _pages(*answers)
    if caught:
        files["warnings.txt"] = "".join(f"{w.category.__name__}: {w.message}\n" for w in caught)
    return {name: normal(text) for name, text in sorted(files.items())}


def normal(text: str) -> str:
    """A text without versions and dates."""
    for pattern, instead in _NORMAL:
        text = pattern.sub(instead, text)
    return text


def _numbers_of(answers: tuple[Any, ...]) -> dict[str, Any]:
    if len(answers) == 1:
        return numbers(answers[0])
    return {f"answer {k}": numbers(one) for k, one in enumerate(answers, 1)}


def _printed(answer: Any) -> Iterator[tuple[str, str]]:
    if not isinstance(answer, xr.Dataset | xr.DataArray):  # xarray prints as it likes
        yield "answer.txt", f"{answer}\n"


def _texts(answer: Any) -> Iterator[tuple[str, str]]:
    yield from _printed(answer)
    if not isinstance(answer, xr.Dataset | xr.DataArray) and hasattr(answer, "_repr_html_"):
        yield "notebook.html", page(answer._repr_html_()) + "\n"
    if hasattr(answer, "to_markdown"):
        yield "answer.md", answer.to_markdown()
    if hasattr(answer, "to_json"):
        yield "answer.json", answer.to_json()
    if isinstance(answer, Comparison) and answer.provenance.answer in ("comparison", "judged"):
        comparison: Any = answer
        yield "answer.json", as_json(comparison)
    if isinstance(answer, Comparison) and answer.provenance.answer == "comparison":
        papers = (f"--- {form}\n{bt.report(answer, format=form)}" for form in PAPERS)
        yield "papers.txt", "\n".join(papers)


def _pages(*answers: Any) -> Iterator[tuple[str, str]]:
    """The report in each format; none of an answer that has no page, such as a plan."""
    try:
        pages = {id(answer): build_page(answer) for answer in answers}
    except ValueError:  # a page that is lost, or new, is reported as such
        return
    with patch.object(reports, "build_page", lambda answer: pages[id(answer)]):  # once for all
        for form, suffix in FORMATS.items():
            text = bt.report(*answers, format=form)
            yield f"report.{suffix}", page(text) if form == "html" else text


def page(html: str) -> str:
    """A page without scripts; a style as its digest, a figure as its caption."""
    for pattern, instead in _PAGE:
        html = pattern.sub(instead, html)
    return html


def _digest(text: str) -> str:
    return f"sha256 {sha256(text.encode()).hexdigest()[:16]}"


def _caption(attributes: str) -> str:
    caption = re.search(r'aria-label="([^"]*)"', attributes)
    return caption[1] if caption else ""


def numbers(answer: Any) -> dict[str, Any]:
    """What an answer computed, as JSON knows it: by table and by variable."""
    if isinstance(answer, Comparison):
        tables = {"data": answer.data} | {f"engine {k}": v for k, v in answer.alternatives.items()}
        tables |= {"pairs": answer.pairs, "systems": answer.systems}
    elif isinstance(answer, xr.Dataset | xr.DataArray):
        tables = {"data": answer}
    elif hasattr(answer, "data"):
        tables = {"data": answer.data, "table": answer.table}
    elif is_dataclass(answer):
        tables = {f.name: getattr(answer, f.name) for f in fields(answer)}
    else:
        raise TypeError(f"no numbers are known of a {type(answer).__name__}")
    return {name: _table(table) for name, table in tables.items()}


def _table(table: Any) -> Any:
    if isinstance(table, xr.DataArray):
        table = table.to_dataset(name=table.name or "values")
    if isinstance(table, xr.Dataset):
        return {
            "attrs": _attributes(table.attrs),
            "coords": sorted(map(str, table.coords)),
            "variables": {str(k): _variable(v) for k, v in sorted(table.variables.items())},
        }
    if isinstance(table, pd.DataFrame):
        return {str(k): _array(v.to_numpy()) for k, v in table.items()}
    return _plain(table)


def _variable(variable: xr.Variable) -> dict[str, Any]:
    attrs = {"attrs": _attributes(variable.attrs)} if variable.attrs else {}
    return {"dims": list(variable.dims)} | attrs | _array(variable.values)


def _array(values: np.ndarray) -> dict[str, Any]:
    kind = "text" if values.dtype.kind in "OUST" else str(values.dtype)
    return {"dtype": kind, "values": _plain(values)}


def _attributes(attrs: Mapping[Any, Any]) -> dict[str, Any]:
    """Attributes by name, without those that say which libraries there were."""
    named = {str(k): _plain(v) for k, v in sorted(attrs.items())}
    changing = {k for k in named if k.endswith("version") or k == "created_at"}
    return {k: "VERSION" if k in changing else v for k, v in named.items()}


def _plain(value: Any) -> Any:
    """As JSON has it; numbers that are not finite stay."""
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, Mapping):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    if is_dataclass(value):
        return {f.name: _plain(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, xr.Dataset | xr.DataArray | pd.DataFrame):
        return _table(value)
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


def dumped(value: dict[str, Any]) -> str:
    """JSON with a line for each variable and attribute."""
    return "\n".join(_lines(value, 0)) + "\n"


def _lines(value: Any, depth: int) -> Iterator[str]:
    if not (isinstance(value, dict) and value and depth < _DEEP and _holds_tables(value)):
        yield json.dumps(value, ensure_ascii=False)
        return
    yield "{"
    for k, (key, inner) in enumerate(value.items()):
        first, *rest = _lines(inner, depth + 1)
        shown = [f"{json.dumps(key, ensure_ascii=False)}: {first}", *rest]
        shown[-1] += "," * (k < len(value) - 1)
        yield from (f" {line}" for line in shown)
    yield "}"


def _holds_tables(value: dict[str, Any]) -> bool:
    """Whether it is more than one variable."""
    return "values" not in value
