"""What an audit of the scores says, in the words of an answer."""

from typing import Any

from betterthan import names
from betterthan.auditing.beside import lines_beside
from betterthan.comparison.asked import Asked
from betterthan.comparison.given import Given


def audited(given: Given, asked: Asked) -> dict[str, Any]:
    """``audit``, the lines that stand under an answer; nothing where there are none.

    Bounds are those of wins by item, with missing scores left out pair by pair: where the answer
    is another, the line says so.
    """
    found, scores, lead = given.found, given.scores, given.quantity.lead
    if found.kind != "scores" or asked.missing != "pairwise":
        return {}
    other = lead == "mean" or (scores is not None and not scores.single)
    rope = 0.0 if lead == "mean" else asked.question.rope
    lines = lines_beside(
        found.before,
        baseline=asked.baseline,
        by="by wins on items" * other,
        margin=asked.margin,
        ties="third" if asked.ties == "all" else asked.ties,
        prior=asked.prior,
        rope=rope if rope < 1 else names.ROPE,
        threshold=asked.question.threshold,
    )
    return {"audit": tuple(lines)} if lines else {}
