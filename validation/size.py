"""How large the package is: ``python -m validation.size``. A report; no number of it fails a test.

Code lines are those with code on them: no docstring, no comment, no empty line.
"""

import ast
import io
import tokenize
from collections import defaultdict
from pathlib import Path

import numpy as np
import pandas as pd

SOURCE = Path(__file__).resolve().parents[1] / "src" / "betterthan"
_NO_CODE = {
    *(tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT),
    *(tokenize.ENCODING, tokenize.ENDMARKER),
}


def code_lines(text: str) -> int:
    """Lines of a file with code on them."""
    docstrings = {
        line
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and ast.get_docstring(node, clean=False) is not None
        for line in range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1)
    }
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    lines = {
        line
        for token in tokens
        if token.type not in _NO_CODE
        for line in range(token.start[0], token.end[0] + 1)
    }
    return len(lines - docstrings)


def sizes(source: Path = SOURCE) -> pd.DataFrame:
    """``files``, ``code_lines``, ``functions`` and ``largest`` (lines of a file) by subpackage."""
    rows: dict[str, list[tuple[int, int, int]]] = defaultdict(list)
    for path in sorted(source.rglob("*.py")):
        text = path.read_text("utf-8")
        functions = sum(isinstance(n, ast.FunctionDef) for n in ast.walk(ast.parse(text)))
        first = path.relative_to(source).parts[0].removesuffix(".py")
        rows[first].append((code_lines(text), text.count("\n"), functions))
    table = {
        name: (len(files), *np.array(files).sum(0)[[0, 2]], max(lines for _, lines, _ in files))
        for name, files in rows.items()
    }
    columns = ["files", "code_lines", "functions", "largest"]
    return pd.DataFrame.from_dict(table, orient="index", columns=columns).sort_values(
        "code_lines", ascending=False
    )


if __name__ == "__main__":
    found = sizes()
    print(found.to_string())
    print(f"in all {found['code_lines'].sum():,} code lines in {found['files'].sum()} files")
