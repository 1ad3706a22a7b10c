"""Source files as they are parsed: each once, for all tests that look at them."""

import ast
from functools import cache


@cache
def parsed(path):
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def nodes(tree):
    """All nodes of a tree, as `ast.walk` has them."""
    return list(ast.walk(tree))
