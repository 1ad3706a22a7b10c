"""The result of a gate, as plain records."""

from dataclasses import dataclass, field

from betterthan.gating.further import Further
from betterthan.gating.on_counts import Cases
from betterthan.gating.rule import Chances, exit_code
from betterthan.gating.sequential import Looked


@dataclass(frozen=True)
class Evidence:
    """What the items that both sides have say of d = candidate - baseline.

    Attributes
    ----------
    quantity : {"accuracy", "mean"}
        Of which d is the difference.
    per : {"item", "cluster"}
        What a unit of evidence is.
    items, units : int
        That both sides have a score on.
    runs : int
        The most runs of an item, of which the mean counts.
    missing : tuple of two int
        Items that the baseline, and the candidate, has no score on.
    cells : int
        Runs of items that are missing, of both.
    won, lost : list of str
        Items on which the candidate is better, and worse, the largest difference first.
    means : tuple of two float
        Of baseline and candidate, as the scores stand.
    difference, lower, upper : float
        Of d, more being better, and the ends of its 95 % interval.
    higher_is_better : bool
    chances : Chances
    cases : Cases or None
        Wins, losses and ties, where the closed form answers; None where Student's t does.
    effective : float or None
        How many units of equal size they are worth; None where that is their number.
    further : Further or None
        How many units more would help; None where that is not asked, or cannot be told.
    """

    quantity: str
    per: str
    items: int
    units: int
    runs: int
    missing: tuple[int, int]
    cells: int
    won: list[str]
    lost: list[str]
    means: tuple[float, float]
    difference: float
    lower: float
    upper: float
    higher_is_better: bool
    chances: Chances
    cases: Cases | None = None
    effective: float | None = None
    further: Further | None = None


@dataclass(frozen=True, repr=False)
class Decision:
    """Fields of a gate result; `answer.Gate` documents and displays them."""

    verdict: str
    margin: float
    threshold: float
    why: tuple[str, ...] = ()
    evidence: Evidence | None = None
    looked: Looked | None = None
    reading: str = ""
    warned: tuple[str, ...] = ()
    said: tuple[str, ...] = field(default=())

    @property
    def exit_code(self) -> int:
        """0 pass, 1 worse, 3 inconclusive, 4 not comparable."""
        return exit_code(self.verdict)

    @property
    def also_behind(self) -> bool:
        """Whether the gate passes a candidate that is behind, by less than the margin."""
        evidence = self.evidence
        return bool(self.verdict == "pass" and evidence and evidence.chances.observed.behind_holds)
