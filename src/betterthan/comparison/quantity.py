"""What is compared: how often a system wins, or its mean."""

from dataclasses import dataclass
from typing import Any

from betterthan import names
from betterthan.comparison.asked import Asked


@dataclass(frozen=True)
class Quantity:
    """``lead`` decides; ``other`` is reported next to it, where there is one.

    For scores of 0 and 1 wins and mean are one thing, accuracy. Once scores are graded they are
    two, and may name different systems.
    """

    lead: str  # wins, accuracy or mean
    other: str | None = None
    chosen: bool = True  # asked for; else the two may be split

    @property
    def difference_is(self) -> str:
        """In words."""
        return names.DIFFERENCES[self.lead]


def quantity_of(
    kind: str, scores: Any, asked: Asked, advised: str | None, *, together: bool = True
) -> Quantity:
    """The quantity of data of a kind, given what was asked, or advised, and whether the runs of an
    item are taken together.

    Raises
    ------
    ValueError
        If it cannot be told of these data.
    """
    wanted = asked.quantity or advised
    if asked.quantity == "mean" and asked.method in ("mcmc", "both"):
        raise ValueError(
            f"method={asked.method!r} samples wins; quantity='mean' has a closed form, "
            "method='exact'"
        )
    if kind == "trials" and not together:
        return Quantity("wins")
    if scores is None:
        if asked.quantity == "mean":
            raise ValueError(
                f"quantity='mean' needs scores by item; of {kind} wins are told, quantity='wins'"
            )
        return Quantity("wins")
    if not scores.graded:
        if wanted == "wins" and not scores.single:
            return Quantity("wins", "mean")
        _refuse_ties(asked, () if scores.single else ("drop", "to_a", "to_b"))
        return Quantity("accuracy")
    other = {"wins": "mean", "mean": "wins"}
    lead = wanted or _default(asked)
    return Quantity(lead, other[lead], chosen=wanted is not None)


def _default(asked: Asked) -> str:
    """Of graded scores: the mean, but what speaks of wins is answered by wins."""
    of_wins = asked.margin or asked.ties != "third"
    of_wins = of_wins or not (asked.prior is None or asked.skeptical)
    return "wins" if of_wins or asked.method in ("mcmc", "both") else "mean"


def _refuse_ties(asked: Asked, refused: tuple[str, ...]) -> None:
    """An accuracy on units has no ties that a policy could move."""
    if asked.ties in refused:
        raise ValueError(
            f"ties={asked.ties!r} moves wins, and accuracy on units has no ties; also give "
            "quantity='wins', or unit='item'"
        )
