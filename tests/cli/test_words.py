"""The help is in words: names of types are a programmer's."""

import re
import sys

import pytest

from betterthan.cli import commands

COMMANDS = (
    *("compare", "show", "audit", "gate", "plan", "runs", "groups"),
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


def test_help_has_examples_and_options_in_groups(told):
    for command in COMMANDS:
        printed = told(command)
        assert re.search(rf"^Examples:\n  betterthan {command} ", printed, re.M), command
        assert "\nOptions:" not in printed
    groups = re.findall(r"^([A-Z][\w ]+):$", told("compare"), re.M)
    assert groups == [
        *("Arguments", "Examples", "What to compare", "How to decide", "Significance tests"),
        *("LLM judge with human labels", "Reading tables", "Reading logs", "Output"),
    ]


def test_the_first_page_has_whole_sentences(capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["betterthan", "--help"])
    with pytest.raises(SystemExit):
        commands.main()
    assert "..." not in capsys.readouterr().out.partition("Commands:")[2]


# an option of one name whose commands differ in the choices or in the kind of file
OTHERS = {"--method", "--correction", "--layout", "--format", "--output", "--quantity", "--missing"}


def test_an_option_has_one_meaning(told):
    meanings = {}
    for command in COMMANDS:
        options = told(command).partition("Examples:")[2]
        for flag, text in re.findall(
            r"^  (?:-\w, )?(--[\w-]+)((?:.*\n)(?:   .*\n)*)", options, re.M
        ):
            text = re.sub(r"\[default:\s[^]]*\]", "", text)
            meanings.setdefault(flag, {})[" ".join(text.split())] = command
    assert {flag for flag, texts in meanings.items() if len(texts) > 1} == OTHERS
    assert {"--unit", "--of", "--cluster", "--run", "--metric"} <= set(meanings)


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_short_sentences(told, command):
    page = re.sub(r"^Examples:\n(  betterthan.*\n)+", "", told(command), flags=re.M)
    for text in re.split(r"\n(?=  -)", page):
        for sentence in re.split(r"(?<=[.:;)])\s+", " ".join(text.split())):
            assert len(sentence.split()) <= 30, sentence
