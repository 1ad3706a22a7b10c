"""Functions are short: at most 250 tokens, but for a written list, each with its reason."""

import ast
import io
import tokenize
from pathlib import Path

import betterthan

SOURCE = Path(betterthan.__file__).parent
MOST = 250
NO_CODE = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}
# file, function: why it reads best whole
LONGER = {
    ("answers/made.py", "_asked"): "one line, part by part",
    ("answers/rows.py", "systems"): "one table, column by column",
    ("cli/comparing.py", "compare"): "many choices, handed on by name",
    ("comparison/comparing.py", "compare"): "sixteen choices are named once, then composed",
    ("comparison/tests_beside.py", "tests_beside"): "one table, column by column",
    ("evidence/decisions/of_judged.py", "_powered"): "a formula",
    ("evidence/of_performance_function.py", "by_quadrature"): "a formula",
    ("evidence/of_subject_slopes.py", "by_quadrature"): "a formula",
    ("evidence/quadrature_of_texts.py", "_slope"): "a formula",
    ("exact/numeric/quadrature.py", "_integrate_block"): "the loop of the rule",
    ("exact/planning/fragile.py", "_search"): "one search, doubled and then halved",
    ("exact/planning/units.py", "_told"): "a formula",
    ("exact/planning/walks.py", "walk"): "one loop, look by look",
    ("exact/wins/intervals.py", "_equal_heights"): "Newton's method on two ends",
    ("features/prediction.py", "_components"): "every way to give components, and its refusal",
    ("fits/circles.py", "transitivity"): "two checks in one table",
    ("judged/counting.py", "count"): "every refusal in its order, then the counts",
    ("logs/frames.py", "_with_missing"): "one table, column by column",
    ("models/crossing.py", "build"): "the model",
    ("models/crossing.py", "simulate"): "draws in the order of the model",
    ("models/davidson.py", "simulate"): "draws in the order of the model",
    ("models/item_likelihoods.py", "repeatedly"): "a likelihood",
    ("models/performance_function.py", "_model"): "the model",
    ("models/performance_function.py", "simulate"): "draws in the order of the model",
    ("models/simplex.py", "decisive_first"): "a transform and its Jacobian",
    ("models/judge.py", "simulate"): "draws in the order of the model",
    ("models/subject_slopes.py", "_text_effects"): "the model",
    ("models/subject_slopes.py", "build"): "the model",
    ("models/subject_slopes.py", "simulate"): "draws in the order of the model",
    ("reading/any_source.py", "read"): "many choices, handed on by name",
    ("reporting/of_outlook.py", "_table"): "one table, column by column",
    ("scores/comparing.py", "compare"): "many choices, handed on by name",
    ("significance/block_swaps.py", "_assembled"): "one table, column by column",
}


def tokens_of(path):
    """Tokens of every function of a file that stands in no other, without its signature and
    docstring.
    """
    text = path.read_text("utf-8")
    tree = ast.parse(text)
    docs, number = set(), {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(
            node
        ):
            docs |= set(range(node.body[0].lineno, node.body[0].end_lineno + 1))
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in NO_CODE and token.start[0] not in docs:
            number[token.start[0]] = number.get(token.start[0], 0) + 1
    inner = {
        n
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
        for n in ast.walk(node)
        if n is not node and isinstance(n, ast.FunctionDef)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node not in inner:
            documented = ast.get_docstring(node) is not None and len(node.body) > 1
            own = range(node.body[documented].lineno, node.end_lineno + 1)
            yield node.name, sum(number.get(k, 0) for k in own)


def test_functions_are_short_but_for_the_written_ones():
    long = {
        (str(path.relative_to(SOURCE)), name)
        for path in SOURCE.rglob("*.py")
        for name, number in tokens_of(path)
        if number > MOST
    }
    assert long == set(LONGER)
