"""The help is in words: names of types are a programmer's."""

import re
import sys

import pytest

from betterthan.cli import commands

COMMANDS = (
    *("compare", "show", "audit", "gate", "plan", "groups"),
    *("demo", "measures", "outcome", "order"),
)
TYPES = re.compile(r"<\w+|\b(INTEGER|FLOAT|PATH|STR|RANGE)\b|\[(int|str|float|path)\]")


@pytest.fixture
def told(capsys, monkeypatch):
    """What `--help` prints."""

    def of(command):
        monkeypatch.setattr(sys, "argv", ["betterthan", command, "--help"])
        with pytest.raises(SystemExit) as stop:
            commands.main()
        assert not stop.value.code
        return capsys.readouterr().out

    return of


def test_all_commands_are_here(told, capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["betterthan", "--help"])
    with pytest.raises(SystemExit):
        commands.main()
    below = capsys.readouterr().out.split("Commands:")[1]
    assert set(re.findall(r"^  (\w+)", below, re.M)) == set(COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_no_option_names_a_type(told, command):
    printed = told(command)
    assert not TYPES.search(printed)
    options = re.findall(r"^  (?:-\w, )?--[\w-]+( [A-Z]\w*)?", printed, re.M)
    assert len(options) > 4
    assert any(options)


def test_what_an_option_takes_is_said(told):
    printed = told("compare")
    said = ("--rope NUMBER", "--baseline NAME", "--ties TEXT", "--junit FILE", "--figures FOLDER")
    for option in (*said, "--output FOLDER or FILE"):
        assert option in printed
    assert re.search(r"^  --percent  +Scores", printed, re.M)  # a switch takes nothing
    assert re.search(r"^  FILE\.\.\.  +Results", printed, re.M)
