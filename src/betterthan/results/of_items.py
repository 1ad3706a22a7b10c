"""The items on which the systems of a comparison differ most, to be read before it is believed."""

from betterthan import names
from betterthan.results import numbers
from betterthan.results.context import Shown
from betterthan.results.document import Part, Table
from betterthan.results.escapes import on_one_line

_FEW = 4  # systems whose scores on an item have columns


def items_part(shown: Shown) -> Part | None:
    """A row an item: its scores, how far they are apart, and whether it goes with the others."""
    whole = shown.whole
    if "item_spread" not in whole or not whole.sizes[names.ITEM]:
        return None
    heads, columns = _scores(shown)
    items = [on_one_line(str(item)) for item in whole[names.ITEM].values]
    rows = [(item, *told) for item, told in zip(items, columns, strict=True)]
    note = _OF_TWO
    if shown.many:
        heads, note = (*heads, "Spread", "With the rest"), _OF_MANY
        beside = zip(whole["item_spread"].values, whole["item_with_rest"].values, strict=True)
        rows = [
            (*row, f"{spread:.2f}", numbers.signed(along))
            for row, (spread, along) in zip(rows, beside, strict=True)
        ]
    n, total = len(rows), int(whole["n_differing"])
    caption = "Items on which systems differ most" + (f", {n} of {total:,}" if n < total else "")
    table = Table(("Item", *heads), rows, caption, name="items")
    return Part("Items", tables=[table], notes=[note], folded=True)


def _scores(shown: Shown) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Heads and cells: the scores of each of few systems, how many of many are right, or their
    mean.
    """
    scores = shown.whole["item_score"].transpose(names.ITEM, names.SYSTEM)
    if len(shown.systems) <= _FEW:
        values = scores.sel({names.SYSTEM: shown.systems}).values
        cells = [tuple("–" if x != x else f"{x:.3g}" for x in row) for row in values]
        return tuple(shown.systems), cells
    if "n_right" in shown.whole:
        number = zip(
            scores.sum(names.SYSTEM).values, scores.count(names.SYSTEM).values, strict=True
        )
        return ("Right",), [(f"{right:g} of {n}",) for right, n in number]
    return ("Mean score",), [(f"{x:.3g}",) for x in scores.mean(names.SYSTEM).values]


_OF_MANY = (
    "Spread: the standard deviation of the systems' scores on the item. With the rest: the "
    "correlation, over systems, of these scores with the means on all other items; of one spread "
    "the lowest come first. Below 0 an item goes against all others: read it for a wrong key, or a "
    "question that can be taken in two ways. counts.disagreements gives every item."
)
_OF_TWO = (
    "Of equal differences those come first on which the system that is behind on all other items "
    "is ahead: read these for a wrong key, or a question that can be taken in two ways. "
    "counts.disagreements gives every item."
)
