"""Why a verdict and the tests beside it differ: first for whom each speaks, then how surely."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.exact.wins.sign import sign_mid_p, sign_p
from betterthan.signed import Signature

REASONS = {
    "opposed": "A test is significant for the other system: the verdict and the test ask two "
    "questions of these data, and the answers go opposite ways.",
    "weights": "The model weighs every data set alike, the test every example: in the test a large "
    "data set outweighs several small ones.",
    "clusters": "The model counts wins and losses within clusters; the test looks at whole "
    "clusters, each of which favors one system.",
    "sizes": "One weighs how large the differences are (a mean), the other counts only which "
    "system was ahead on an item (wins).",
    "together": "The model estimates all systems jointly, from all their results; the test looks "
    "at this pair alone.",
    "ties": "The verdict gives ties to one of the systems; this test does not.",
    "few": "With so few discordant (untied) items no result could reach a two-sided p of "
    "{alpha:g}, whichever way they fell.",
    "sides": "The probability looks at one side, the p-value at two: on that one side mid-p, the p "
    "that is nearest to such a probability, is at most {alpha:g}.",
    "levels": "The verdict asks for a probability of {threshold:g}, the test for a p of {alpha:g} "
    "on two sides: one of them asks for more.",
    "many": "Significant alone, but not after correction for {pairs:,} pairs; a posterior "
    "probability speaks of one pair and is not corrected.",
    "rope": "The difference is real but too small to matter: the test asks whether it is 0, the "
    "verdict whether it lies within the rope.",
    "split": "Who is ahead more often and who is ahead in the mean are two systems here, so that "
    "no winner is named; the test looks at one of the two.",
    "prior": "The posterior starts from a prior; the p-value has none.",
    "model": "The posterior is that of a model which uses more than wins and losses of this pair; "
    "the test does not.",
    "chains": "The chains have not converged, so only the tests speak.",
    "missing": "Missing scores decide, so only the tests speak, which leave these out.",
}
# of a model, what makes it answer otherwise than a test of the pair's items
OF_MODELS = {
    "hierarchical": "weights",
    "clustered": "clusters",
    "davidson": "together",
    "davidson_by_cluster": "clusters",
    "item_response": "together",
    "graded": "sizes",
    "bayesian_bootstrap": "sizes",
    "jackknife": "sizes",
}
_SIDES = {"a_better": 1, "b_better": -1}
_OF_SIGNS = ("sign", "mid_p", "trinomial")


@dataclass(frozen=True)
class Tested:
    """A test of one pair beside a verdict: p, and for whom it speaks (1 A, -1 B, 0 neither)."""

    name: str
    p: float
    favours: int
    alpha: float

    @property
    def significant_for(self) -> int:
        """The system it finds better, 0 for none."""
        return self.favours if self.p <= self.alpha else 0


@dataclass(frozen=True)
class Pair:
    """A verdict on one pair, and the tests beside it."""

    cell: xr.Dataset
    made: Signature

    @property
    def verdict(self) -> str:
        """As the table has it."""
        return str(self.cell["verdict"].item())

    @property
    def withheld(self) -> str:
        """Why there is no verdict: a key of `REASONS`."""
        known = "reason" in self.cell
        decides = known and str(self.cell["reason"].item()) == names.MISSING_DECIDES
        return "missing" if decides else "chains"

    @property
    def side(self) -> int:
        """The system that the verdict names: 1 A, -1 B, 0 none."""
        return _SIDES.get(self.verdict, 0)

    @property
    def alpha(self) -> float:
        """Level of the tests."""
        return float(self.made.alpha or names.ALPHA)

    @property
    def counted(self) -> tuple[int, int]:
        """Wins and losses that the posterior counted."""
        name = "cluster_counts" if "cluster_counts" in self.cell else "counts"
        wins, losses = (int(count) for count in self.cell[name].values[:2])
        return wins, losses

    @cached_property
    def tests(self) -> list[Tested]:
        """In the order of the table."""
        columns = (self.cell[k].values.tolist() for k in (names.TEST, "p_value", "favours"))
        return [Tested(str(n), p, int(f), self.alpha) for n, p, f in zip(*columns, strict=True)]

    @property
    def modelled(self) -> str:
        """The advised model that gave the verdict, empty for wins, losses and ties."""
        return str(self.made.model or "") if self.made.method == "advised" else ""


def reasons(cell: xr.Dataset, made: Signature) -> list[str]:
    """Why the verdict on a pair and its tests differ: keys of `REASONS`, none where they agree."""
    pair = Pair(cell, made)
    if pair.verdict in ("no_data", "no_verdict"):
        return [] if pair.verdict == "no_data" else [pair.withheld]
    apart = [test for test in pair.tests if test.significant_for != pair.side]
    opposed = pair.side != 0 and any(t.significant_for == -pair.side for t in apart)
    found = ["opposed"] if opposed else []
    if pair.modelled:
        found += [OF_MODELS.get(pair.modelled, "model")] if apart else []
    else:
        found += [_why(pair, test) for test in apart] + _by_prior(pair)
    return list(dict.fromkeys(found + _many(pair)))


def _many(pair: Pair) -> list[str]:
    """Whether correction for the number of pairs changes what the last test says."""
    last, adjusted = pair.tests[-1], float(pair.cell["p_adjusted"].values[-1])
    return ["many"] if pair.side and last.p <= pair.alpha < adjusted else []


def _by_prior(pair: Pair) -> list[str]:
    """A verdict against the counts."""
    wins, losses = pair.counted
    return ["prior"] if np.sign(wins - losses) == -pair.side != 0 else []


def _why(pair: Pair, test: Tested) -> str:
    """Of wins, losses and ties, why one test says something else than the verdict."""
    wins, losses = pair.counted
    of_signs = test.name in _OF_SIGNS
    if of_signs and test.favours != np.sign(wins - losses):
        return "ties"
    signs = float(np.asarray(sign_p(wins, losses)))
    counted = int(np.sign(wins - losses)) if signs <= pair.alpha else 0
    if not of_signs and counted != test.significant_for:
        return "sizes"  # counted alone, the same items say something else
    if pair.verdict in ("equivalent", "split"):
        return "rope" if pair.verdict == "equivalent" else "split"
    if not test.significant_for:
        return _why_not_significant(pair)
    return "prior" if pair.side else _level(pair)


def _why_not_significant(pair: Pair) -> str:
    """Why a decided pair is not significant."""
    if float(pair.cell["smallest_p"].item()) > pair.alpha:
        return "few"
    wins, losses = pair.counted
    one_sided = float(np.asarray(sign_mid_p(wins, losses))) / 2
    return "sides" if one_sided <= pair.alpha else _level(pair)


def _level(pair: Pair) -> str:
    """Whether the levels differ, or else the prior."""
    threshold = float(pair.made.threshold or names.VERDICT_PROB)
    return "prior" if np.isclose(1 - threshold, pair.alpha) else "levels"
