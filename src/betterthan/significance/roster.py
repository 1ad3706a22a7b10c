"""The frequentist tests of a comparison, one row each, and their settings."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import xarray as xr
from scipy.special import stdtr

from betterthan import checks, names, schemas
from betterthan.blocks.lazy import in_blocks
from betterthan.counts.counting import apply_missing, oriented
from betterthan.counts.shapes import Table, labelled, square_from_pairs
from betterthan.counts.ties import policy_of
from betterthan.counts.units import CLUSTER
from betterthan.exact.joint.units import differences, joined, pair_sums
from betterthan.exact.numeric.monte_carlo import one_seed
from betterthan.exact.swaps.randomization import monte_carlo_error, two_valued
from betterthan.exact.swaps.rank_tests import signed_rank_p
from betterthan.signed import Signature
from betterthan.significance.signs import OnClusters, p_values, sign_tests

_DIGITS = 12  # of a difference, as a part of the largest score


@dataclass(frozen=True)
class Tests:
    """Settings of the frequentist tests of a comparison; checked on creation.

    Parameters
    ----------
    which : sequence of str, optional
        Tests to run: "sign", "mid_p", "mcnemar" (exact; the sign test without ties), "trinomial",
        "randomization", "wilcoxon" (signed ranks), "t" (paired). Default: the sign test, plus
        randomization for TP/FP/FN counts and for scores of more than two values (for scores of two
        values it is the sign test).
    alpha : float, default 0.05
        Significance level.
    correction : {"holm", "bh", "none"}, default "holm"
        Correction of the p-values for the number of pairs.
    shuffles : int, default 10,000
        Number of permutations, if the randomization test has to sample.

    Raises
    ------
    ValueError
        If a choice is not valid, or no test is named.

    Examples
    --------
    >>> Tests("sign", alpha=0.01)
    Tests(which=('sign',), alpha=0.01, correction='holm', shuffles=10000)
    """

    which: Iterable[str] | str | None = None  # a tuple once made; None: those that suit the data
    alpha: float = names.ALPHA
    correction: str = names.CORRECTION
    shuffles: int = names.SHUFFLES

    def __post_init__(self) -> None:
        """Check every choice."""
        checked = {
            "which": _named(self.which, "which"),
            "alpha": checks.probability(self.alpha, "alpha"),
            "correction": checks.one_of(self.correction, names.CORRECTIONS, "correction"),
            "shuffles": checks.whole(self.shuffles, "shuffles"),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    @classmethod
    def parse(cls, tests: Any) -> Self:
        """As an argument `tests` may be given: the choices, names of tests, or None."""
        return tests if isinstance(tests, cls) else cls(_named(tests, "tests"))

    def on(self, data: xr.DataArray, *, clustered: bool = False) -> tuple["TestSpec", ...]:
        """Return the rows of the named tests, or of those that suit the data.

        Raises
        ------
        ValueError
            If a test needs the items, and the data are counts.
        """
        labelled(data, "data", "scores (item, system), tallies, or counts", kinds=xr.DataArray)
        checks.flag(clustered, "clustered")
        suited = ("sign", "randomization") if clustered else _suited(data)
        specs = tuple(get_spec(name) for name in self.which or suited)
        if names.ITEM not in data.dims and not clustered:
            for spec in specs:
                if spec.needs_items:
                    raise ValueError(
                        f"tests={spec.name!r} needs the scores of single items, and these are "
                        "counts; choose one of sign, mid_p, mcnemar, trinomial"
                    )
        return specs


@dataclass(frozen=True)
class TestContext:
    """Choices of a comparison that its tests follow."""

    tests: Tests
    ties: str = "third"
    missing: str = "pairwise"
    rng: Any = None
    clusters: OnClusters | None = None  # where tests look at whole clusters
    signs: dict[str, np.ndarray] | None = None  # `p_values` of the counts, where they are known

    @property
    def sign_ties(self) -> str:
        """The policy of the sign test, which cannot keep ties."""
        return "drop" if self.ties == "all" or policy_of(self.ties).keeps_ties else self.ties


@dataclass(frozen=True)
class TestSpec:
    """A test: what it needs, how it is called, what a report says of it."""

    name: str
    header: str  # of a column of its p-values
    call: Callable[[xr.DataArray, xr.DataArray, TestContext], Table]
    words: Callable[[Signature], str]  # of how it was done
    needs_items: bool = False
    needs_ties: bool = False

    def run(self, data: xr.DataArray, counts: xr.DataArray, choices: TestContext) -> Table:
        """Two-sided ``p_value`` of every pair, whom it ``favours`` (1 the system of the row, -1
        that of the column), what else the test says, and `attrs` for the signature.

        Parameters
        ----------
        data : xarray.DataArray
            Scores, tallies or counts, as given.
        counts : xarray.DataArray, dims (system_a, system_b, outcome)
            Their counts, before any policy for ties.
        choices : TestContext
        """
        if self.needs_ties:
            schemas.ties_known(counts, f"the {self.name} test")
        return self.call(data, counts, choices)


def get_spec(name: str) -> TestSpec:
    """The specification of a test."""
    return next(spec for spec in TESTS if spec.name == name)


def _named(tests: Any, argument: str) -> tuple[str, ...] | None:
    if tests is None:
        return None
    if isinstance(tests, str):
        tests = (tests,)
    elif not isinstance(tests, list | tuple | set | frozenset | dict):
        raise ValueError(f"{argument} is {type(tests).__name__}; give {_ANY}")
    if not len(tests):
        raise ValueError(f"{argument} is empty; give {_ANY}, or leave it out for those that suit")
    for test in tests:
        checks.one_of(test, names.TESTS, argument)
    checks.unique(tests, "test")
    return tuple(tests)


def _suited(data: xr.DataArray) -> tuple[str, ...]:
    """The sign test, and randomization where it can say something else."""
    graded = names.TALLY in data.dims
    if not graded and names.ITEM in data.dims and not in_blocks(data):
        # of two scores randomizing the mean is the sign test
        graded = not two_valued(data.values[~np.isnan(data.values)])
    return ("sign", "randomization") if graded else ("sign",)


def _table(squares: Mapping[str, np.ndarray], attrs: dict[str, Any] | None = None) -> Table:
    return Table({k: (names.SQUARE, values) for k, values in squares.items()}, attrs or {})


def _of_signs(result: Any, p: str = "p_value") -> Table:
    """What a sign test answers."""
    return _table({"p_value": np.asarray(result[p]), "favours": np.asarray(result["favours"])})


def _sign(data: xr.DataArray, counts: xr.DataArray, choices: TestContext) -> Table:
    return _of_signs(choices.signs or p_values(counts, choices.sign_ties))


def _sums(data: xr.DataArray, choices: TestContext, name: str) -> Iterable[Any]:
    """Totals and sizes (unit, pair) of both systems, where more is better."""
    if choices.clusters is not None:
        return choices.clusters.sums()
    if in_blocks(data) or names.TALLY in data.dims:
        what = "scores in blocks" if in_blocks(data) else "TP/FP/FN counts"
        raise ValueError(f"tests={name!r} does not take {what}; choose tests='sign'")
    values = oriented(data)
    scored = ~np.isnan(values)
    return pair_sums(np.where(scored, values, 0.0), scored.astype(float), np.arange(len(values)))


def _square(p: np.ndarray, side: np.ndarray) -> Table:
    side = side.astype(int)
    favours = square_from_pairs(side, -side, 0)
    return _table({"p_value": square_from_pairs(p, p, 1.0), "favours": favours})


def _wilcoxon(data: xr.DataArray, counts: xr.DataArray, choices: TestContext) -> Table:
    """Of the differences of items, or of the means of clusters."""
    tested = []
    for total_a, size_a, total_b, size_b in _sums(data, choices, "wilcoxon"):
        both = (size_a > 0) & (size_b > 0)
        first, second = (
            np.divide(total, size, out=np.zeros_like(total), where=both)
            for total, size in ((total_a, size_a), (total_b, size_b))
        )
        scale = np.maximum(np.abs([first, second]).max(), 1e-300)
        # equal differences, but for rounding, have one rank
        difference = np.round((first - second) / scale, _DIGITS)
        tested += [signed_rank_p(column) for column in difference.T]
    p, side = np.array(tested).reshape(-1, 2).T
    return _square(p, side)


def _student(data: xr.DataArray, counts: xr.DataArray, choices: TestContext) -> Table:
    """Of paired differences of items; of clusters with the degrees of freedom of the posterior."""
    if choices.clusters is not None:
        pairs = choices.clusters.pairs
    else:
        pairs = joined([differences(*sums) for sums in _sums(data, choices, "t")])
    with np.errstate(divide="ignore", invalid="ignore"):
        p = 2 * stdtr(pairs.df, -np.abs(pairs.difference) / pairs.error)
    # without spread there is no t: equal systems do not differ, of others nothing is known
    p = np.where(pairs.error > 0, p, np.where(pairs.difference == 0, 1.0, np.nan))
    return _square(np.where(pairs.units > 1, p, 1.0), np.sign(pairs.difference))


def _randomization(data: xr.DataArray, counts: xr.DataArray, choices: TestContext) -> Table:
    """Its statistic's difference, A - B, and where it was sampled the exceedances and their
    error.
    """
    if choices.clusters is not None and names.TALLY not in data.dims:
        return _swapped_clusters(choices.clusters, choices, better=_better(data))
    if in_blocks(data):
        raise ValueError(
            "tests='randomization' would read scores in blocks a third time; call "
            "randomization_test(scores) by itself (of 0 and 1 it is the sign test)"
        )
    from betterthan.counts.responses import responses_from, score_of
    from betterthan.significance import nulls
    from betterthan.significance.randomizing import difference_of

    if names.TALLY not in data.dims:  # of tallies none can be missing
        data = apply_missing(data, choices.missing)
    unit = names.ITEM if choices.clusters is None else CLUSTER
    responses, shuffles = responses_from(data, unit=unit), choices.tests.shuffles
    how, why = nulls.plan(responses, "auto", names.COMPARISON_WORK_MAX)
    seed = one_seed(choices.rng) if how == "monte_carlo" else None
    if seed is None:
        tails = nulls.exact_tails(responses, how)
    else:
        tails = nulls.sampled_tails(responses, [nulls.TWO_SIDED], nulls.Drawn(shuffles, seed))
    columns = {"p_value": (tails.p, 1.0)}
    if tails.exceedances is not None and tails.shuffles is not None:
        error = monte_carlo_error(tails.exceedances, tails.shuffles)
        columns |= {"exceedances": (tails.exceedances, 0), "p_value_mcse": (error, 0.0)}
    squares = {k: square_from_pairs(v[0], v[0], diagonal) for k, (v, diagonal) in columns.items()}
    squares["swapped_difference"] = difference_of(responses, score_of(responses))
    side = np.sign(np.nan_to_num(squares["swapped_difference"]))
    squares["favours"] = (_better(data) * side).astype(int)
    return _table(squares, _record(how, why, responses.statistic, shuffles, seed))


def _better(data: xr.DataArray) -> int:
    """The sign of a difference for the first system."""
    return 1 if data.attrs.get("higher_is_better", True) else -1


def _swapped_clusters(clusters: OnClusters, choices: TestContext, better: int) -> Table:
    """Randomization of whole clusters: of their totals, of which more is better."""
    squares, how = clusters.swapped(choices.tests.shuffles, choices.rng)
    difference = squares.pop("difference")
    squares["favours"] = np.sign(difference).astype(int)
    squares["swapped_difference"] = better * difference
    why, seed = "whole clusters are swapped", choices.rng if how == "monte_carlo" else None
    return _table(squares, _record(how, why, "cluster totals", choices.tests.shuffles, seed))


def _record(how: str, why: str, statistic: str, shuffles: int, seed: int | None) -> dict[str, Any]:
    """Provenance of a randomization, with a seed where it was sampled."""
    return Signature(
        randomization_method=how,
        randomization_reason=why,
        randomization_statistic=statistic,
        shuffles=None if seed is None else shuffles,
        shuffle_seed=seed,
    ).to_attrs()


def _sign_words(provenance: Signature) -> str:
    return f"sign test ({policy_of(str(provenance.sign_ties)).words})"


def _randomization_words(provenance: Signature) -> str:
    how = f"exact, {provenance.randomization_method}"
    if provenance.randomization_method == "monte_carlo":
        how = f"{provenance.shuffles:,} random permutations, seed {provenance.shuffle_seed}"
    return f"randomization of {provenance.randomization_statistic} ({how})"


TESTS = (
    TestSpec("sign", "sign p", _sign, _sign_words),
    TestSpec(
        "mid_p",
        "mid-p",
        lambda _, counts, choices: _of_signs(sign_tests(counts, choices.sign_ties), "mid_p"),
        lambda provenance: f"mid-p {_sign_words(provenance)}",
    ),
    TestSpec(
        "mcnemar",
        "McNemar p",
        lambda _, counts, __: _of_signs(p_values(counts, "drop")),
        lambda _: "exact McNemar test (ties dropped)",
    ),
    TestSpec(
        "trinomial",
        "trinomial p",
        lambda _, counts, __: _of_signs(p_values(counts, "third")),
        lambda provenance: "trinomial test (ties kept)",
        needs_ties=True,
    ),
    TestSpec(
        "randomization", "randomization p", _randomization, _randomization_words, needs_items=True
    ),
    TestSpec(
        "wilcoxon",
        "Wilcoxon p",
        _wilcoxon,
        lambda _: "Wilcoxon signed-rank test (zeros dropped)",
        needs_items=True,
    ),
    TestSpec("t", "t-test p", _student, lambda _: "paired t-test", needs_items=True),
)
_ANY = f"one or more of {', '.join(names.TESTS)}"
