"""Describe a model from its own file: question, mathematics, priors, PyMC code, limits.

The docstring of a model's file has one section for each; the code is that of its ``build``.
"""

import ast
import inspect
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from types import ModuleType

SECTIONS = {
    "Question": "question",
    "Model": "mathematics",
    "Priors": "priors",
    "When it misleads": "misleads",
}


@dataclass(frozen=True, repr=False)
class Description:
    """Description of a model in words, formulas, and code.

    It prints as text, and as Markdown in a notebook.

    Parameters
    ----------
    name : str
        Name of the model, as in ``bt.models.<name>``.
    question : str
        Question that the model answers.
    mathematics : str
        Likelihood, and definition of "better".
    priors : str
        Default priors, and how to change them.
    misleads : str
        Data for which the result is wrong.
    code : str
        Functions that build the PyMC model, and the constants that they use.
    """

    name: str
    question: str
    mathematics: str
    priors: str
    misleads: str
    code: str

    def __str__(self) -> str:
        parts = [f"{title}\n{'-' * len(title)}\n{text}" for title, text in self._sections()]
        return "\n\n".join([self.name, *parts, "PyMC code\n---------\n" + self.code])

    __repr__ = __str__

    def _repr_markdown_(self) -> str:
        parts = [f"**{title}.** {text}" for title, text in self._sections()]
        return "\n\n".join(
            [f"### {self.name}", *parts, f"**PyMC code.**\n\n```python\n{self.code}\n```"]
        )

    def _sections(self) -> Iterator[tuple[str, str]]:
        for title, field in SECTIONS.items():
            yield title, getattr(self, field)


def describer(module: str) -> Callable[[], Description]:
    """The function ``describe`` of a model, by the name of its module."""

    def describe() -> Description:
        """Describe the model: question, mathematics, priors, when it misleads, and its PyMC code.

        Returns
        -------
        betterthan.models.describing.Description
            Prints as text, and as Markdown in a notebook. Each part is an attribute: ``question``,
            ``mathematics``, ``priors``, ``misleads`` and ``code``.

        Raises
        ------
        ValueError
            If Python was started without docstrings (``-OO``).

        Examples
        --------
        >>> "def build(" in describe().code
        True
        """
        model = sys.modules[module]
        if not model.__doc__:
            raise ValueError(
                "docstrings describe the models; start Python without -OO to read them"
            )
        texts = split_sections(inspect.cleandoc(model.__doc__))
        return Description(name=module.rpartition(".")[2], **texts, code=build_source(model))

    describe.__module__, describe.__qualname__ = module, "describe"  # where users read of it
    return describe


def split_sections(docstring: str) -> dict[str, str]:
    """The text under each title of a docstring, by field of `Description`."""
    lines = docstring.splitlines()
    starts = [
        k for k, (title, line) in enumerate(pairwise(lines)) if line and line == "-" * len(title)
    ]
    parts = {
        lines[start]: "\n".join(lines[start + 2 : end]).strip()
        for start, end in pairwise([*starts, len(lines)])
    }
    return {field: parts[title] for title, field in SECTIONS.items()}


def build_source(model: ModuleType) -> str:
    """Source of ``build`` without its docstring, and of what it uses from its file."""
    source = inspect.getsource(model)
    lines = source.splitlines()
    nodes = {name: node for node in ast.parse(source).body for name in _defined_names(node)}
    used, waiting = {"build"}, ["build"]
    while waiting:
        inside = {n.id for n in ast.walk(nodes[waiting.pop()]) if isinstance(n, ast.Name)}
        waiting += (new := inside & nodes.keys() - used)
        used |= new
    needed = sorted({nodes[name] for name in used}, key=lambda node: node.lineno)
    return "\n".join(_source(node, lines) for node in needed).strip()


def _defined_names(node: ast.stmt) -> list[str]:
    """Names that a statement defines."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else []
    return [n.id for target in targets for n in ast.walk(target) if isinstance(n, ast.Name)]


def _source(node: ast.stmt, lines: list[str]) -> str:
    """The lines of a statement, those of a function without docstring and after an empty one."""
    if not isinstance(node, ast.FunctionDef):
        return "\n".join(lines[node.lineno - 1 : node.end_lineno])
    first = node.body[0]
    start = first.end_lineno if ast.get_docstring(node) else first.lineno - 1
    signature = lines[node.lineno - 1 : first.lineno - 1]
    body = [line for line in lines[start : node.end_lineno] if line]
    code = "\n" + "\n".join(signature + body)
    return code.replace("from betterthan.libraries import pm", "import pymc as pm")
