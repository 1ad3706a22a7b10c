"""Help in plain words: NUMBER, FILE and TEXT in place of the names of types."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args, get_type_hints

import typer
from typer.core import TyperCommand
from typer.models import OptionInfo

from betterthan.cli import options

_OF_TYPE = {float: "NUMBER", int: "NUMBER", Path: "FILE", str: "TEXT"}
_OF_NAME = {
    "baseline": "NAME",
    "components": "FILE",
    "figures": "FOLDER",
    "human": "COLUMN",
    "item": "COLUMN",
    "judge": "COLUMN",
    "outcome": "COLUMN",
    "output": "FOLDER or FILE",
    "pilot": "FILE",
    "reference": "NAME",
    "score": "COLUMN",
    "strata": "COLUMNS",
    "system": "COLUMN",
    "systems": "NAMES",
}


class Plain(TyperCommand):
    """A command whose arguments are told by their names alone."""

    def get_params(self, ctx: Any) -> list[Any]:
        """The parameters; of an argument a type would stand behind its name."""
        parameters: list[Any] = super().get_params(ctx)
        for parameter in parameters:
            if parameter.param_type_name == "argument":
                parameter.display_type_rich = _nothing
        return parameters


def register(app: typer.Typer, function: Callable[..., Any]) -> Callable[..., Any]:
    """Make a command of a function; its options say in words what they take."""
    namespace = vars(options) | {"typer": typer} | function.__globals__
    function.__annotations__ = get_type_hints(function, namespace, include_extras=True)
    for name, hint in function.__annotations__.items():
        kind, *metadata = get_args(hint) or (hint,)
        for option in (x for x in metadata if isinstance(x, OptionInfo)):
            option.metavar = option.metavar or _OF_NAME.get(name) or _word(kind)
    return app.command(cls=Plain)(function)


def _word(kind: Any) -> str | None:
    """Return the metavar of a type; None for a switch."""
    kinds = (kind, *get_args(kind))
    return next((word for option_type, word in _OF_TYPE.items() if option_type in kinds), None)


def _nothing(ctx: Any) -> str:
    return ""
