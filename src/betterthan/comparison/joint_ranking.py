"""Three or more systems at once: their pairs by one joint model, P(best) (``prob_best``), ranks."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from betterthan import checks, names
from betterthan.comparison.averages import Suite, averaged_evidence
from betterthan.comparison.data import UnitTotals
from betterthan.comparison.engines import Answer
from betterthan.comparison.evaluation import Evaluation
from betterthan.comparison.options import Options
from betterthan.counts.shapes import Table
from betterthan.counts.tables import both_right
from betterthan.counts.units import CLUSTER, unlabelled
from betterthan.exact.joint import abilities, units
from betterthan.exact.joint.abilities import Abilities, Evidence
from betterthan.exact.joint.student import DF_MIN
from betterthan.exact.joint.units import Means
from betterthan.posterior import table
from betterthan.results.tables import WITH_ERRORS
from betterthan.signed import Signature

if TYPE_CHECKING:
    from betterthan.comparison.blocks import BlockMeans, BlockTotals


def with_joint_posterior(
    answer: Answer, evaluation: Evaluation, options: Options, suite: Suite | None = None
) -> Answer:
    """The answer of one joint posterior of all systems, with that of each pair alone next to it as
    ``pairwise_prob_better`` and more; the answer as it is where there is none.

    A pair without data, without a verdict or split remains so.
    """
    joint = joint_posterior(evaluation, options, answer, suite)
    alone = answer.table
    if "verdict" not in joint:
        return replace(answer, table=Table.merged([alone, joint]))
    pairwise = alone.renamed([name for name in alone.arrays if name in OF_PAIRS], "pairwise_")
    rest = {name: array for name, array in alone.arrays.items() if name not in OF_PAIRS}
    open_ = np.isin(alone["verdict"], ["no_data", "no_verdict", "split"])
    final = {"verdict": np.where(open_, alone["verdict"], joint["verdict"])}
    final |= {k: joint[k] & ~open_ for k in ("also_ahead", "beyond_rope") if k in joint}
    joint = joint.with_arrays({name: (names.SQUARE, values) for name, values in final.items()})
    return replace(answer, table=Table.merged([joint, Table(pairwise | rest, alone.attrs)]))


# columns that exist twice: by the joint posterior, and by each pair alone
OF_PAIRS = WITH_ERRORS | {"verdict", "also_ahead", "beyond_rope", "too_close"}


def joint_posterior(
    evaluation: Evaluation, options: Options, answer: Answer, suite: Suite | None = None
) -> Table:
    """Every pair and every rank from one joint posterior that draws alike systems together.

    By the advised model where it ranks systems, else by quadrature. Where there is no joint
    posterior, ``attrs["no_joint"]`` says why. Two systems get no P(best).
    """
    if len(evaluation.systems) == 2:
        return Table()
    if "prob_best" in answer.more:
        if not answer.converged:
            return Table(attrs={"no_joint": "the chains have not converged"})
        draws = answer.settings["draws"] * answer.settings.get("chains", 1)
        return Table(attrs={"joint_model": answer.engine, "joint_draws": draws})
    totals, question = _totals(evaluation, options), options.question
    reason = totals if isinstance(totals, str) else _no_joint(evaluation, totals, options)
    if isinstance(totals, str) or reason:
        return Table(attrs={"no_joint": reason})
    equal = names.DATASET in evaluation.takes and len(set(totals.dataset.tolist())) > 1
    means = None
    if suite is not None:
        evidence = averaged_evidence(suite, options)
        if isinstance(evidence, str):
            return Table(attrs={"no_joint": evidence})
    elif not isinstance(totals, CountTotals) and (totals.graded or not totals.single or equal):
        means = _equally_weighed(totals) if equal else totals.means
        if means.df <= DF_MIN:
            few = (
                f"the {totals.units} {evaluation.unit}s are of unequal size, worth "
                f"{means.df + 1:.1f} of equal size: too few to estimate how the systems vary "
                "together"
            )
            return Table(attrs={"no_joint": few})
        evidence = _of_means(totals, means, equal)
    else:
        win, loss, *tie = checks.prior(options.prior, evaluation.counts.sizes[names.OUTCOME])
        both, items = totals.both_right()
        evidence = abilities.evidence_from_right(both, items, (win, loss, tie[0] if tie else 1.0))
    if not evidence.variance:
        same = f"differences are the same on every {evaluation.unit}, so their error is unknown"
        return Table(attrs={"no_joint": same})
    posterior = Abilities.fit(evidence)
    parts = means if isinstance(means, Means) else None
    notes, families = _notes(posterior, totals.systems, totals.units, evaluation.unit, parts)
    higher_is_better = totals.higher_is_better or not totals.graded
    pairs = table.of_abilities(
        posterior, totals.systems, question, higher_is_better=higher_is_better, alone=families
    )
    ranks = table.ranks_of(posterior, pairs["prob_better"], question, options.rank_seed)
    signature = replace(
        _signature(evaluation, totals, equal or suite is not None, options),
        joint_notes=notes,
        joint_kept=round(posterior.groups.mean_k, _DIGITS),
        joint_spread=round(posterior.groups.spread, _DIGITS),
        joint_groups=tuple(posterior.groups.prob_groups.round(_DIGITS).tolist()),
    )
    places = np.arange(1, len(totals.systems) + 1)
    columns = {name: ranks[name] for name in _COLUMNS} | {"rank": (("rank",), places)}
    columns[names.SYSTEM] = (names.SYSTEM,), np.array(totals.systems)
    return Table(columns | pairs.arrays, signature.to_attrs())


_DIGITS = 6
_COLUMNS = (
    *("prob_best", "prob_best_mcse", "expected_rank", "expected_rank_mcse"),
    *("rank_lower", "rank_upper", "in_best_set", "prob_rank"),
)


def _of_means(
    totals: "UnitTotals | BlockTotals", means: "Means | BlockMeans", equal: bool
) -> Evidence:
    low, high = totals.limits
    if equal and isinstance(means, Means):
        pairs = units.pairs_from_means(means, high - low)
    else:
        pairs = totals.pairs
    return abilities.evidence_from_means(means.mean, means.covariance, means.df, pairs, totals.sd())


def _equally_weighed(totals: Any) -> Means:
    """Means over data sets that weigh the same, and what each unit adds to an error."""
    parts = []
    for k in range(int(totals.dataset.max()) + 1):
        rows = totals.dataset == k
        place = np.unique(totals.unit[rows], return_inverse=True)[1]
        sums = (units.summed(x[rows], place) for x in (totals.totals, totals.sizes))
        parts.append(units.means(*sums))
    added = [part.parts / len(parts) for part in parts]
    scored = np.sum([part.scored for part in parts], axis=0)
    mean, df = np.mean([part.mean for part in parts], axis=0), min(part.df for part in parts)
    return replace(parts[0], mean=mean, parts=np.concatenate(added), scored=scored, df=df)


@dataclass(frozen=True)
class CountTotals:
    """Items that systems have right or wrong, of which only wins, losses and ties are known."""

    systems: list[str]
    both: np.ndarray  # (system, system): items that two systems have right
    units: int
    dataset = np.zeros(1, dtype=int)
    graded = runs = gaps = False
    single = higher_is_better = True

    def both_right(self) -> tuple[np.ndarray, int]:
        """On how many items both of two systems are right, (system, system), and the items."""
        return self.both, self.units


type _Totals = UnitTotals | BlockTotals | CountTotals


def _totals(evaluation: Evaluation, options: Options) -> _Totals | str:
    """Sums of the items, or why there are none."""
    counts = evaluation.raw_counts
    if evaluation.totals is not None:
        return evaluation.totals
    if evaluation.by_item:
        how = "compare(..., method='advised') draws it jointly"
        return f"wins on items say little of a ratio of sums; {how}"
    unit = counts.attrs.get("unit", "unknown")
    ties = counts.sizes[names.OUTCOME] == len(names.OUTCOMES)
    if unit == "judgment":
        return "it needs a joint model, which compare(..., method='advised') fits"
    if unit == names.MEASURE:
        return "measures are not items of one kind"
    if unit not in (names.ITEM, "unknown") or evaluation.unit == CLUSTER or options.over:
        return _SCORES
    same_items = names.ITEM in (unit, options.unit)
    if not ties:
        return f"{_SCORES}, or the number of all items" if same_items else _SCORES
    both = both_right(counts)
    if same_items:
        return both if isinstance(both, str) else CountTotals(evaluation.systems, *both)
    return _SCORES if isinstance(both, str) else f"{_SCORES}, or unit='item' {_SAME_ITEMS}"


_SCORES = "it needs the scores of the items"
_SAME_ITEMS = "if all pairs are of the same right and wrong items"


def _no_joint(evaluation: Evaluation, totals: _Totals, options: Options) -> str:
    """Why there is no joint answer."""
    if unlabelled(evaluation.data, CLUSTER):
        return "some items have no cluster"
    by_wins = evaluation.quantity.lead != "mean"  # which has no margin, no ties, and no such prior
    if by_wins and options.margin:
        return f"wins by more than a margin of {options.margin:g} are compared pair by pair"
    if by_wins and options.ties not in ("third", "drop", "all"):
        return f"ties={options.ties!r} compares pair by pair, for a mean has no ties"
    if options.prior_sd:
        return "the skeptical prior is of a pair; the joint model has a prior of its own"
    prior = checks.prior(options.prior, evaluation.counts.sizes[names.OUTCOME])
    if by_wins and prior[0] != prior[1]:
        return "a prior that favors one side of a pair is used pair by pair"
    if evaluation.quantity.lead == "wins" and (totals.graded or not totals.single):
        return "wins are answered pair by pair; quantity='mean' has a joint answer"
    if totals.units < abilities.FEWEST:
        few = f"{totals.units} {evaluation.unit}{'s are' if totals.units > 1 else ' is'} too few"
        return f"{few} to estimate how the systems vary together"
    if totals.gaps:
        how = "missing='complete' compares all on the items that all have"
        systems, n_scored = (evaluation.columns[k][1] for k in (names.SYSTEM, "n_scored"))
        if not all(n_scored):
            how = f"{systems[np.argmin(n_scored)]} has none, so leave it out"
        return f"scores are missing, and pairs are then on different items; {how}"
    return ""


def _signature(evaluation: Evaluation, totals: _Totals, equal: bool, options: Options) -> Signature:
    runs = totals.runs and evaluation.unit == "item"
    of_what = "items with their runs" if runs else f"{evaluation.unit}s"
    how = "weigh the same" if options.over is None else "are averaged"
    return Signature(
        joint_model=names.AMONG_ALL,
        joint_draws=table.DRAWS,
        joint_seed=options.rank_seed,
        joint_units=f"{totals.units:,} {of_what}"
        + (f" of data sets, which {how}" if equal else ""),
        joint_quantity=evaluation.quantity.reliability or ("mean" if totals.graded else "accuracy"),
    )


_FEW, _SOME = 20, 50  # items or units below which joint answers, and joint intervals, hold less
_NAMED = 6  # systems of a group that are listed
_NUMBERS = {2: "two", 3: "three"}


def _notes(
    posterior: Abilities, systems: Sequence[str], units: int, unit: str, means: Means | None
) -> tuple[tuple[str, ...], bool]:
    """What is to be known of the joint answer, and whether systems err alike, so that only a pair
    by itself can be called equivalent.

    Parameters
    ----------
    posterior : Abilities
    systems : sequence of str
    units : int
        How many items, or clusters or items with all their runs.
    unit : str
        What each is called.
    means : Means, optional
        What each unit adds to the errors; None of right and wrong items.
    """
    families = abilities.families(posterior.evidence, units)
    lines = [_in_groups(posterior, systems), _few(units, unit)]
    if families:
        lines.append(
            f"{families} of the {len(systems)} systems make nearly the same errors as another. "
            "The joint model takes errors as independent: between such families its intervals hold "
            "less often than stated, and a pair is equivalent only where it is by itself."
        )
    if means is not None and (largest := abilities.dominating(means.parts)) is not None:
        lines.append(
            f"One {unit} makes up {100 * largest[1]:.0f}% of the squared differences between the "
            f"systems: the answer is little more than what that {unit} shows."
        )
    return tuple(filter(None, lines)), bool(families)


def _in_groups(posterior: Abilities, systems: Sequence[str]) -> str:
    """The members of groups, where several groups are more probable than one."""
    number = abilities.in_groups(posterior.groups)
    if number == 1:
        return ""
    prob = posterior.groups.prob_groups
    member = posterior.groups.members(number)
    order = np.argsort(-posterior.evidence.score, kind="stable").tolist()
    parts: list[str] = []
    for group in sorted(set(member.tolist()), reverse=True):
        members = [systems[int(k)] for k in order if member[k] == group]
        more = f" and {len(members) - _NAMED:,} more" if len(members) > _NAMED else ""
        parts.append(", ".join(members[:_NAMED]) + more)
    return (
        f"The systems fall into {_NUMBERS[number]} groups (probability of more than one group "
        f"{prob[1:].sum():.2f}): {'; '.join(parts)}."
    )


def _few(units: int, unit: str) -> str:
    """Where joint answers rest on few units."""
    if units >= _SOME:
        return ""
    rare = f"With {units} {unit}s few pairs reach a verdict. If" if units < _FEW else ""
    return (
        f"{rare or f'With {units} {unit}s, if'} one system is far ahead or systems form groups, "
        "joint intervals contain the true difference less often than stated."
    )
