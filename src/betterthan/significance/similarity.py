"""Groups of systems that are not significantly different, from a test or as printed."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import xarray as xr

from betterthan import checks, names, schemas
from betterthan.exact.swaps import cliques, corrections, randomization
from betterthan.signed import provenance_attrs
from betterthan.significance.corrections import adjust
from betterthan.text import named

_PRINT_RULE = "Marks as given, for p ≤ {0.p:g} with a confidence of at least {0.confidence:g}."
_CORRECTED = {
    "none": "p",
    "holm": "Holm-adjusted p",
    "bh": "Benjamini-Hochberg-adjusted p",
    "max_t": "p by the largest of all differences (Westfall-Young)",
    "tukey": "p by the range of all systems (Tukey)",
}


@dataclass(frozen=True)
class Marks:
    """Who is similar to whom."""

    systems: list[str]
    similar: np.ndarray
    score: np.ndarray | None
    rule: str
    p: np.ndarray | None = None  # as it is compared with the cutoff
    p_error: np.ndarray | None = None  # its Monte Carlo error, where it was sampled
    confidence: np.ndarray | None = None
    unsettled: np.ndarray | None = None
    ahead: np.ndarray | None = None  # the sign of each pair's difference, where it is known
    untested: int = 0
    too_few: int = 0  # pairs that differ on so few units that no p could be low enough

    def ranked(self, *, lower_is_better: bool) -> "Marks":
        """From best to worst score; without scores by the pairs in which a system is significantly
        better, or as they are where nothing is known.
        """
        better = self.score if self.ahead is None else np.where(self.similar, 0, self.ahead).sum(1)
        if self.score is not None:
            better = -self.score if lower_is_better else self.score
        if better is None:
            return self
        order = np.argsort(-better, kind="stable")
        square = np.ix_(order, order)
        optional = {k: getattr(self, k) for k in (*_SQUARES, "ahead")}
        return replace(
            self,
            systems=[self.systems[k] for k in order],
            similar=self.similar[square],
            score=None if self.score is None else self.score[order],
            **{k: v if v is None else v[square] for k, v in optional.items()},
        )

    @property
    def contradiction(self) -> tuple[str, str] | None:
        """The first two systems of which the test favors the one that is ranked below."""
        if self.ahead is None:
            return None
        against = np.argwhere(np.triu(~self.similar & (self.ahead < 0), 1))
        return None if not len(against) else tuple(self.systems[k] for k in against[0])


_SQUARES = ("p", "p_error", "confidence", "unsettled")


@dataclass(frozen=True)
class Cutoff:
    """When two systems differ."""

    p: float
    confidence: float
    correction: str


def marks_in_print(marks: xr.DataArray, cutoff: Cutoff) -> Marks:
    """Marks as they were printed."""
    if cutoff.correction != "none":
        raise ValueError(
            f"correction={cutoff.correction!r} needs p-values; these are check marks, so leave it "
            "out"
        )
    systems = _systems(marks, "check marks")
    marks = marks.transpose(*names.SQUARE)
    if marks.dtype.kind not in "biuf" or not np.isin(marks.values, (0, 1)).all():
        raise ValueError(
            "check marks must be True or False; for p-values give the Dataset of the test"
        )
    similar = marks.values.astype(bool)
    itself = np.diagonal(similar)
    if not itself.all() and itself.any():
        k = int(np.argmin(itself))
        raise ValueError(
            f"{systems[k]!r} is not marked as similar to itself, and others are; is its row "
            "shifted?"
        )
    rule = _PRINT_RULE.format(cutoff)
    similar = similar | np.eye(len(systems), dtype=bool)
    return Marks(systems, similar, _score(marks.coords.get("score"), names.SYSTEM_A, systems), rule)


def marks_from_test(result: Any, cutoff: Cutoff) -> Marks:
    """Two systems are similar unless p, corrected, is at or below the cutoff and surely so."""
    p = _two_sided(result)
    systems, joint = _systems(p, "p_value"), cutoff.correction in names.JOINT_CORRECTIONS
    if joint:
        corrected = result["p_adjusted"].transpose(*names.SQUARE).values
    else:
        corrected = adjust(p, correction=cutoff.correction).values
    differ = corrected <= cutoff.p
    sure = unsettled = error = None
    if joint or bool(result.attrs.get("sampled", "exceedances" in result)):
        sure = _sure_jointly(result, cutoff) if joint else _sure(result, p.values, cutoff, systems)
        error = _error(result, p.values, corrected, joint=joint)
        differ &= sure >= cutoff.confidence
        unsettled = ~differ & (sure > 1 - cutoff.confidence)
    return Marks(
        systems,
        ~differ | np.eye(len(systems), dtype=bool),
        _score(result.get("score"), names.SYSTEM, systems),
        _rule(cutoff, sampled=sure is not None),
        corrected,
        error,
        sure,
        unsettled,
        _ahead(result),
        untested=int(np.isnan(p.values[np.triu_indices(len(systems), 1)]).sum()),
        too_few=_too_few(result, cutoff),
    )


def _ahead(result: xr.Dataset) -> np.ndarray | None:
    """The sign of each pair's difference, above 0 where the system of the row is better."""
    if "favours" in result:
        return np.sign(result["favours"].transpose(*names.SQUARE).values)
    if "difference" not in result:
        return None
    better = 1 if result.attrs.get("higher_is_better", True) else -1
    return better * np.sign(result["difference"].transpose(*names.SQUARE).values)


def _too_few(result: xr.Dataset, cutoff: Cutoff) -> int:
    """Pairs whose smallest possible p is above the cutoff."""
    if "smallest_p" not in result:
        return 0
    least = result["smallest_p"].transpose(*names.SQUARE).values
    return int((least[np.triu_indices(len(least), 1)] > cutoff.p).sum())


def _rule(cutoff: Cutoff, *, sampled: bool) -> str:
    needed = ", p being exact"
    if sampled:
        needed = f" with a confidence of at least {cutoff.confidence:g}"
    return f"Two systems differ only if {_CORRECTED[cutoff.correction]} ≤ {cutoff.p:g}{needed}."


def _two_sided(result: Any) -> xr.DataArray:
    """The p-values (system_a, system_b) of a two-sided test."""
    if not isinstance(result, xr.Dataset) or "p_value" not in result:
        raise ValueError(
            f"result is {type(result).__name__}; expected a test of every pair, a Dataset with a "
            "variable p_value, or a DataArray of check marks"
        )
    side = str(result.attrs.get("alternative", "two-sided"))
    if side != "two-sided":
        raise ValueError(f"the test has alternative={side!r}; groups need a two-sided test")
    systems = _systems(result["p_value"], "p_value")
    p = result["p_value"].transpose(*names.SQUARE)
    _symmetric(p.values, systems, "p_value")
    return p


def _sure(result: xr.Dataset, p: np.ndarray, cutoff: Cutoff, systems: list[str]) -> np.ndarray:
    """Confidence that each pair's true p is at or below the cutoff, or its step's share of it; 0 on
    the diagonal.
    """
    b, n = _counted(result)
    _symmetric(b, systems, "exceedances")
    upper = np.triu_indices(len(b), 1)
    family = p[upper]
    square = np.zeros(b.shape)
    square[upper] = _confidence(family, b[upper], n[upper], cutoff)
    return square + square.T


def _error(result: xr.Dataset, p: np.ndarray, corrected: np.ndarray, *, joint: bool) -> np.ndarray:
    """Monte Carlo error of corrected p-values: as a share of p it is that of p."""
    if joint:
        return randomization.monte_carlo_error(*_reached(result))
    b, n = _counted(result)
    with np.errstate(invalid="ignore"):
        return randomization.monte_carlo_error(b, n) * corrected / p


def _reached(result: xr.Dataset) -> tuple[np.ndarray, np.ndarray]:
    """How many shuffles reach a difference, from p = (b + 1) / (n + 1), and n."""
    p = result["p_adjusted"].transpose(*names.SQUARE).values
    n = int(result.attrs["shuffles"])
    return np.rint(p * (n + 1)).astype(int) - 1, np.full(p.shape, n)


def _sure_jointly(result: xr.Dataset, cutoff: Cutoff) -> np.ndarray:
    """The same of p-values by the largest difference in each shuffle."""
    sure = randomization.confidence_below(*_reached(result), cutoff.p)
    np.fill_diagonal(sure, 0.0)
    return sure


def _counted(result: xr.Dataset) -> tuple[np.ndarray, np.ndarray]:
    """Exceedances and shuffles (system_a, system_b) of a sampled test."""
    if "exceedances" not in result or not ("shuffles" in result or "shuffles" in result.attrs):
        raise ValueError(
            "a sampled test needs its exceedances and shuffles, for the confidence in the cutoff"
        )
    b = result["exceedances"].transpose(*names.SQUARE).values
    if "shuffles" in result:
        return b, result["shuffles"].transpose(*names.SQUARE).values
    return b, np.full(b.shape, result.attrs["shuffles"])


def _confidence(
    family: np.ndarray, above: np.ndarray, shuffled: np.ndarray, cutoff: Cutoff
) -> np.ndarray:
    """Confidence in each hypothesis of a family that its p is at or below its step of the
    procedure.
    """
    steps = {"holm": corrections.holm_steps, "bh": corrections.bh_steps}.get(cutoff.correction)
    multiplier = steps(family)[0] if steps else np.ones(family.shape)
    sure = np.nan_to_num(
        randomization.confidence_below(above, shuffled, cutoff.p / multiplier), nan=0.0
    )
    ascending = np.lexsort((-sure, family))  # NaN, no test, comes last
    if cutoff.correction == "holm":  # also surely past the steps before
        sure[ascending] = np.minimum.accumulate(sure[ascending])
    elif cutoff.correction == "bh":  # a later step suffices
        sure[ascending[::-1]] = np.maximum.accumulate(sure[ascending[::-1]])
    sure[np.isnan(family)] = 0.0
    return sure


def _systems(data: xr.DataArray, name: str) -> list[str]:
    if set(data.dims) != set(names.SQUARE):
        dims = ", ".join(map(str, data.dims)) or "none"
        raise ValueError(f"{name} has dims {dims}; give (system_a, system_b), one test at a time")
    if not set(names.SQUARE) <= set(data.coords):
        raise ValueError(
            f"{name} needs coordinates system_a and system_b with the names of the systems"
        )
    systems = schemas.systems_of_square(data)
    checks.several_systems(systems)
    return systems


def _symmetric(values: np.ndarray, systems: list[str], name: str) -> None:
    upper, lower = np.triu(values, 1), np.tril(values, -1).T
    wrong = ~((upper == lower) | (np.isnan(upper) & np.isnan(lower)))
    if wrong.any():
        i, j = np.argwhere(wrong)[0]
        raise ValueError(
            f"{name} of {systems[i]!r} against {systems[j]!r} is {values[i, j]:g} but "
            f"{values[j, i]:g} the other way round; groups need a two-sided test"
        )


def _score(score: xr.DataArray | None, dim: str, systems: list[str]) -> np.ndarray | None:
    if score is None:
        return None
    if score.dims != (dim,):
        raise ValueError(
            f"score has dims {', '.join(map(str, score.dims)) or 'none'}; give one number per {dim}"
        )
    values = score.reindex({dim: systems}) if dim in score.coords and dim == names.SYSTEM else score
    if values.dtype.kind not in "fiu" or values.size != len(systems):
        raise ValueError(
            f"score is {values.dtype} of {values.size}; give one number for each of {len(systems)} "
            "systems"
        )
    return values.values.astype(float)


_NAMED = 4  # overlapping systems told by name; more are told by rank


def groups(
    result: xr.Dataset | xr.DataArray,
    *,
    cutoff: float = names.CUTOFF,
    confidence: float = names.CONFIDENCE,
    correction: str | None = None,
) -> xr.Dataset:
    """Group systems that are not significantly different (homogeneous groups); groups may overlap.

    Two systems differ if p is at or below the cutoff and, for a sampled p, the confidence that the
    true p is at or below the cutoff is high enough. A group is a largest set of systems without a
    significant difference. Systems of overlapping groups cannot be ranked, whatever their scores.

    Parameters
    ----------
    result : xarray.Dataset or xarray.DataArray, dims (system_a, system_b)
        A two-sided test of every pair, with ``p_value``; if sampled also ``exceedances`` and
        ``shuffles`` (a variable or one of ``attrs``); an optional ``score`` over system. A pair
        with p = NaN was not tested and does not differ significantly. Or printed check marks, True
        or 1 for similar systems, with an optional coordinate ``score``. Higher scores are better,
        unless ``attrs["higher_is_better"]`` is 0, as in a test of such scores.
    cutoff : float, default 0.01
        Significance level. For printed marks, the cutoff and the confidence are only recorded.
    confidence : float, default 0.99
        Confidence needed that the true p is at or below the cutoff. An exact p is certain.
    correction : {"none", "holm", "bh", "max_t", "tukey"}, optional
        Correction of p for the number of pairs. Default: that of the test if "max_t" or "tukey"
        (which need such a test), else Holm's; none for printed marks. The confidence is then that
        in the cutoff on p itself at the pair's step of the procedure. A Holm step also needs that
        of the steps before it; for "bh" a later step suffices.

    Returns
    -------
    xarray.Dataset
        Systems are sorted from best to worst score, or have the order of the input. Over (system_a,
        system_b):

        - ``similar``: marks of each row
        - ``one_way``: pairs marked in one direction only
        - ``unsettled``: pairs that do not differ but might with more permutations
        - for a test, ``p_adjusted``; if sampled, ``p_adjusted_mcse`` and ``confidence``

        Over system:

        - ``member`` (system, group): groups, by marks in both directions
        - ``letters``: compact letter display; two systems share a letter if both are marked
        - ``separate``: whether its group differs from all other systems
        - ``score``, if known

        Without dims: ``rank_possible``, whether all groups are separate. For a test by "tukey" at
        the same cutoff also ``critical_difference``, with its ``_mcse``; systems whose scores are
        further apart differ. ``attrs`` record the rule and, in ``note``, the overlaps.

    Raises
    ------
    ValueError
        If the result is neither, is one-sided, or lacks what a sampled test needs; if an argument
        is not valid; if there are more than 1,000 groups.

    References
    ----------
    N. Chinchor (1995), Statistical Significance of MUC-6 Results, Sixth Message Understanding
    Conference. For the groups: H.-P. Piepho (2004), JCGS 13(2), 456-466, doi:10.1198/1061860043515.

    Examples
    --------
    >>> import xarray as xr
    >>> marks = xr.DataArray(
    ...     [[True, True, False], [True, True, True], [False, True, True]],
    ...     dims=("system_a", "system_b"),
    ...     coords={"system_a": ["A", "B", "C"], "system_b": ["A", "B", "C"]},
    ... )
    >>> result = groups(marks)
    >>> result["letters"].values.tolist(), result["rank_possible"].item()
    (['a', 'ab', 'b'], False)
    """
    marked = isinstance(result, xr.DataArray)
    tested_by = None if marked else getattr(result, "attrs", {}).get("correction")
    if correction is None:
        joint = tested_by in names.JOINT_CORRECTIONS
        correction = "none" if marked else tested_by if joint else names.CORRECTION
    rule = Cutoff(
        checks.probability(cutoff, "cutoff"),
        checks.probability(confidence, "confidence"),
        checks.one_of(correction, names.CORRECTIONS + names.JOINT_CORRECTIONS, "correction"),
    )
    if correction in names.JOINT_CORRECTIONS and correction != tested_by:
        raise ValueError(
            f"correction={correction!r} needs the permutations of all systems; give "
            f"randomization_test(..., correction={correction!r})"
        )
    if isinstance(result, xr.DataArray):
        marks, test = marks_in_print(result, rule), "printed marks"
    else:
        marks, test = marks_from_test(result, rule), str(result.attrs.get("test", "unknown"))
    provenance = provenance_attrs(answer="groups", correction=correction)
    direction = {k: result.attrs[k] for k in ("higher_is_better",) if k in result.attrs}
    lower = not direction.get("higher_is_better", True)
    together = groups_by(marks.ranked(lower_is_better=lower)).assign_attrs(
        provenance | direction, test=test, cutoff=rule.p, confidence_needed=rule.confidence
    )
    if correction == "tukey" and result.attrs["cutoff"] == rule.p:
        critical = ("critical_difference", "critical_difference_mcse")
        together = together.assign({name: result[name] for name in critical})
    return together


def ranges(ranks: Iterable[int]) -> str:
    """Ascending whole numbers, as ranges.

    Examples
    --------
    >>> ranges([3, 4, 5, 9, 11, 12])
    '3-5, 9, 11-12'
    """
    runs: list[list[int]] = []
    for rank in ranks:
        if runs and rank == runs[-1][1] + 1:
            runs[-1][1] = rank
        else:
            runs.append([rank, rank])
    return ", ".join(f"{a}" if a == b else f"{a}-{b}" for a, b in runs)


def groups_by(marks: Marks) -> xr.Dataset:
    """Groups of systems by who is marked as similar to whom, whatever the marks come from."""
    similar = marks.similar
    unsettled = np.zeros_like(similar) if marks.unsettled is None else marks.unsettled
    variables: dict[str, Any] = {
        "similar": (names.SQUARE, similar),
        "one_way": (names.SQUARE, similar != similar.T),
        "unsettled": (names.SQUARE, unsettled),
    }
    of_test = {"p_adjusted": marks.p, "p_adjusted_mcse": marks.p_error}
    for name, square in (of_test | {"confidence": marks.confidence}).items():
        if square is not None:
            variables[name] = (names.SQUARE, square)
    if marks.score is not None:
        variables["score"] = (names.SYSTEM, marks.score)
    joined = _joined(similar)
    coords = dict.fromkeys((*names.SQUARE, names.SYSTEM), np.array(marks.systems))
    note = _note(marks, joined["member"].values)
    if contradiction := marks.contradiction:
        above, below = contradiction
        note = (
            f"The test of {above} and {below} favors {below}, which ranks below by its score on "
            "its own items, so the systems cannot be ranked."
        )
        variables["rank_possible"] = (), np.array(False)
    return joined.assign(variables).assign_coords(coords).assign_attrs(rule=marks.rule, note=note)


def _joined(similar: np.ndarray) -> xr.Dataset:
    """The groups, their letters, and which systems' groups differ from all other systems."""
    maximal = cliques.maximal_cliques(similar & similar.T)
    member = np.array([[k in clique for clique in map(set, maximal)] for k in range(len(similar))])
    labels = np.array(cliques.letters(len(maximal)))
    separate = member @ _closed(maximal, similar | similar.T)
    variables = {
        "member": ((names.SYSTEM, names.GROUP), member),
        "letters": (names.SYSTEM, np.array(["".join(labels[row]) for row in member])),
        "separate": (names.SYSTEM, separate),
        "rank_possible": ((), separate.all()),
    }
    return xr.Dataset(variables, coords={names.GROUP: labels})


def _closed(maximal: list[tuple[int, ...]], marked: np.ndarray) -> np.ndarray:
    """Groups without marks to other groups, in either direction."""
    everyone = range(len(marked))
    return np.array(
        [
            not marked[np.ix_(group, np.setdiff1d(everyone, group))].any()
            for group in map(list, maximal)
        ]
    )


def _note(marks: Marks, member: np.ndarray) -> str:
    systems, similar = marks.systems, marks.similar
    several = [k for k, row in enumerate(member) if row.sum() > 1]
    if several:
        note = (
            f"{_who(systems, several)} in more than one group: where groups overlap, a ranking of "
            "their systems is impossible"
        )
    elif member.shape[1] == 1:
        note = "No two systems are significantly different, which does not mean that they are equal"
    elif member.shape[1] == len(systems):
        note = "All systems are significantly different, so they can be ranked"
    else:
        note = "Groups do not overlap, so they can be ranked, but not the systems within a group"
    asymmetric = int((similar & ~similar.T).sum())
    if asymmetric and not several:
        note = "Groups overlap only where marks are in one direction"
    for count, kind in (
        (asymmetric, "marked in one direction only and joined in no group"),
        (marks.untested, "not tested"),
        (marks.too_few, "of systems that differ on too few units for any p at or below the cutoff"),
    ):
        note += f"; {count} {'pair is' if count == 1 else 'pairs are'} {kind}" if count else ""
    return note + "."


def _who(systems: list[str], several: list[int]) -> str:
    """Systems by name, or by rank where they are many, with their verb."""
    if len(several) > _NAMED:
        return f"The systems at ranks {ranges(k + 1 for k in several)} are"
    listed = [" ".join(systems[k].split()) for k in several]
    return f"{named(listed)} {'are' if len(listed) > 1 else 'is'}"
