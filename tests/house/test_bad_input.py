"""A wrong kind of object, an empty array and a string end in one line that names the argument."""

import inspect
import re

import numpy as np
import pytest

import betterthan as bt

NAMESPACES = ("", *(n for n in bt.__all__ if hasattr(getattr(bt, n), "__path__")))
BAD = {"a wrong kind": object(), "an empty array": np.array([]), "a string": "no such thing"}
# what is right for these: tables without a choice of data, and text that is a name or a path
NOTHING_TO_GIVE = {"datasets"}
TAKES_TEXT = {
    "count",
    "compare",
    "advise",
    "read",
    "read_confusion",
    "read_judgments",
    "read_logs",
    "audit",
    "load",
    "example_fit",
    *("reliability", "noise", "same_system"),
}


def doors():
    for space in NAMESPACES:
        if space in NOTHING_TO_GIVE:
            continue
        room = getattr(bt, space) if space else bt
        for name in room.__all__:
            thing = getattr(room, name)
            if inspect.isfunction(thing):
                yield f"{space}.{name}".strip("."), thing
            elif space == "models" and inspect.ismodule(thing):
                for step in ("simulate", "build", "fit", "closed_form"):
                    if hasattr(thing, step):
                        yield f"models.{name}.{step}", getattr(thing, step)


def required(function):
    parameters = inspect.signature(function).parameters.values()
    return [p.name for p in parameters if p.default is p.empty and p.kind is not p.VAR_KEYWORD]


CASES = [
    pytest.param(function, value, id=f"{name}, {what}")
    for name, function in doors()
    for what, value in BAD.items()
    if required(function) and not (what == "a string" and name.split(".")[-1] in TAKES_TEXT)
]


@pytest.mark.parametrize(("function", "value"), CASES)
def test_bad_input_names_the_argument_in_one_line(function, value):
    parameters = inspect.signature(function).parameters
    positional = [
        n for n in required(function) if parameters[n].kind is not inspect.Parameter.KEYWORD_ONLY
    ]
    given = {n: value for n in required(function) if n not in positional}
    with pytest.raises((ValueError, TypeError)) as caught:
        function(*[value for _ in positional], **given)
    said = str(caught.value)
    assert "\n" not in said, said
    assert len(said) < 400
    assert any(re.search(rf"\b{name}\b", said) for name in required(function)), said
    assert not re.search(r"array\(|<xarray|DataFrame\b.*\n|object at 0x", said), said
    inside = caught.traceback[-1].path
    assert "betterthan" in str(inside), f"it ends deep in {inside}: {said}"
