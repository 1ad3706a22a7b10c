"""Decision rule of the gate: two probabilities to one of four words, and the word to an exit
code.
"""

from dataclasses import dataclass

VERDICTS = ("pass", "worse", "inconclusive", "not comparable")
PASS, WORSE, INCONCLUSIVE, NOT_COMPARABLE = VERDICTS
EXIT_CODES = {PASS: 0, WORSE: 1, INCONCLUSIVE: 3, NOT_COMPARABLE: 4}  # 2 is a wrong use
INCONCLUSIVE_AS = ("pass", "fail")  # what it can be made


@dataclass(frozen=True)
class Chance:
    """What one reading of the data says of d = candidate - baseline, more being better.

    Attributes
    ----------
    passes, behind : float
        P(d > -margin) and P(d < 0); nan where they cannot be computed.
    pass_holds, behind_holds : bool
        Whether each is enough for a verdict: a threshold reached, or a boundary.
    """

    passes: float
    behind: float
    pass_holds: bool
    behind_holds: bool

    @classmethod
    def at_threshold(cls, passes: float, behind: float, threshold: float) -> "Chance":
        """Compare both probabilities with the threshold; nan holds nowhere."""
        passes, behind = float(passes), float(behind)
        return cls(passes, behind, passes >= threshold, behind >= threshold)

    @property
    def verdict(self) -> str:
        """One of `VERDICTS`: where both hold it is a pass, of a candidate that is behind by less
        than the margin.
        """
        return PASS if self.pass_holds else WORSE if self.behind_holds else INCONCLUSIVE


@dataclass(frozen=True)
class Chances:
    """Probabilities as observed, and in the worst and the best case of the missing scores."""

    observed: Chance
    worst: Chance
    best: Chance

    @property
    def verdict(self) -> str:
        """That of the observed data, if no values of what is missing could turn it.

        Nothing missing can be worse than the worst case, nor better than the best: a pass stands if
        the worst case passes, worse stands if the best case is worse.
        """
        verdict = self.observed.verdict
        return INCONCLUSIVE if self.could_change else verdict

    @property
    def could_change(self) -> bool:
        """Whether values of the missing scores could change the observed verdict."""
        verdict = self.observed.verdict
        if verdict == PASS:
            return not self.worst.pass_holds
        return verdict == WORSE and self.best.verdict != WORSE


def exit_code(verdict: str, inconclusive: str | None = None) -> int:
    """What the process ends with.

    Parameters
    ----------
    verdict : str
        One of `VERDICTS`.
    inconclusive : {"pass", "fail"}, optional
        Whether to end as a pass or as worse where it is inconclusive; with a code of its own when
        not given.

    Examples
    --------
    >>> [exit_code(verdict) for verdict in VERDICTS]
    [0, 1, 3, 4]
    >>> exit_code("inconclusive", "pass"), exit_code("inconclusive", "fail")
    (0, 1)
    """
    if verdict == INCONCLUSIVE and inconclusive is not None:
        return EXIT_CODES[PASS if inconclusive == "pass" else WORSE]
    return EXIT_CODES[verdict]
