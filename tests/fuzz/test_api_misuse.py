"""A few odd arguments of every parameter; ``python -m validation.fuzzing.api`` takes all values."""

import pytest

from validation.fuzzing import api


def test_every_odd_argument_returns_or_is_refused_in_one_line_that_names_it():
    outcomes = list(api.walk(sample=1, seed=1))
    assert [one for one in outcomes if one.wrong] == []
    assert len(outcomes) == len({(one.function, one.parameter) for one in outcomes}) > 1000
    assert sum(one.verdict == api.REFUSED for one in outcomes) > 0.8 * len(outcomes)


def _raw(x):
    return x.real


def _several_lines(x):
    raise ValueError(f"x is bad\n{x!r}")


def _overflow(x):
    return float(10**400)


def _endless(x):
    while True:
        pass


@pytest.mark.parametrize(
    ("function", "verdict"),
    [(_raw, api.RAW), (_several_lines, api.RAW), (_overflow, api.OVERFLOW), (_endless, api.HANG)],
)
def test_what_is_wrong_is_seen(function, verdict, monkeypatch):
    monkeypatch.setattr(api, "SECONDS", 0.05)
    door = api.Door("f", function, ["x"], {"x": 1})
    assert api.checked(door, "x", "None").verdict == verdict


@pytest.mark.parametrize(
    ("message", "verdict"),
    [
        ("x is None; give a number", api.REFUSED),
        ("that is None; give a number", api.UNNAMED),
        ("x is\nNone", api.LINES),
        ("x is <function f>", api.LINES),
        ("x is " + "1" * 500, api.LINES),
    ],
)
def test_messages_of_the_package(message, verdict, monkeypatch):
    monkeypatch.setattr(api, "SOURCE", __file__)

    def refuse(x):
        raise ValueError(message)

    assert api.checked(api.Door("f", refuse, ["x"]), "x", "None").verdict == verdict
