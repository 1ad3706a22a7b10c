"""Everything about all pairs of systems, composed: what was given, asked, computed, and set
beside.
"""

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr

import betterthan
from betterthan import checks, names
from betterthan.answers.comparison import Comparison
from betterthan.comparison.advice import Advice, advise_on
from betterthan.comparison.advised import advised_answers
from betterthan.comparison.asked import Asked
from betterthan.comparison.best_of_all import best_of_all
from betterthan.comparison.engines import Engine, exact_answers, sampled_answers
from betterthan.comparison.given import Given, count_given, of_systems, recognise
from betterthan.comparison.tests_beside import tests_beside
from betterthan.comparison.ties_beside import every_policy
from betterthan.models.sampling import Sampling
from betterthan.posterior import closed
from betterthan.posterior.parameters import settled
from betterthan.posterior.table import Question
from betterthan.signed import Signature
from betterthan.significance.roster import Tests


def compare(
    data: Any,
    other: Any = None,
    *,
    rope: float = names.ROPE,
    systems: Sequence[str] | Mapping[str, str] | None = None,
    baseline: str | None = None,
    method: str = "exact",
    ties: str = "third",
    missing: str = "pairwise",
    margin: float = 0.0,
    prior: Any = None,
    threshold: float = names.VERDICT_PROB,
    ci_prob: float = names.CI_PROB,
    ci_kind: str = names.CI_KIND,
    tests: Tests | str | Sequence[str] | None = None,
    sampling: Sampling | None = None,
    rng: Any = None,
) -> Comparison:
    """Compare all systems with each other.

    Parameters
    ----------
    data : path, DataFrame, xarray.DataArray or xarray.Dataset, or a sequence of scores
        What `read` reads, or returns: scores (item, system), tallies (item, system, tally), counts
        (system_a, system_b, outcome) or (pair, outcome); judgments from `io.read_judgments`; or
        successes of trials, of which the larger share wins an item. Of tallies, the posterior
        counts the items on which one F1 is above the other, and the randomization test compares F1
        over all items.
    other : sequence of scores, optional
        A second system's, where `data` are one system's: Series and DataArrays are joined by label,
        which must be the same; lists by position, of equal length; two paths are two files.
    rope : float in [0, 1), default 0
        Half width of the region of practical equivalence, as a difference of probabilities. At 0 no
        verdict is ever "equivalent".
    systems : sequence of str, or mapping of str to str, optional
        A list picks systems and orders them; a mapping renames them.
    baseline : str, optional
        The system that the others are told against.
    method : {"exact", "mcmc", "both", "advised"}, default "exact"
        Closed forms; PyMC; both and how far they lie apart; or the model that `advise` names for
        the data, with the closed form beside it. Of several data sets each then weighs the same.
    ties : {"third", "drop", "half", "to_a", "to_b", "all"}, default "third"
        See `counts.apply_ties`; in ``to_a`` and ``to_b``, A is the system named first. ``all``
        answers by ``third`` and shows what every policy would have said.
    missing, margin
        For scores: see `count`.
    prior : str or sequence of three float, optional
        Dirichlet parameters of win, loss, tie, or a name of `names.PRIORS`. Default all ones.
    threshold : float in (0.5, 1), default 0.95
        Probability from which a verdict is given.
    ci_prob : float, default 0.95
        Mass of the intervals.
    ci_kind : {"hdi", "eti"}, default "hdi"
        Narrowest or equal-tailed interval.
    tests : significance.Tests, str or sequence of str, optional
        Two-sided tests beside the posterior: "sign", "mid_p", "trinomial", "randomization". Default
        the sign test, and randomization for tallies and for scores of more than two values (for
        scores of two values it is the sign test). With ``ties`` third or all, the sign test drops
        ties; the trinomial test keeps them. `significance.Tests` also says at which level, with
        which correction for the number of pairs, and how many shuffles.
    sampling : models.Sampling, optional
        Draws, chains and more of PyMC.
    rng : int, numpy.random.Generator or None
        Seed of everything that samples.

    Returns
    -------
    Comparison
        Print it for the answer; ``.pairs`` and ``.systems`` are tables, ``.report()`` a page. In
        ``.data``, over (system_a, system_b): ``prob_better``, ``difference_mean``,
        ``difference_lower``, ``difference_upper``, ``mass`` (region), ``verdict``, ``also_ahead``,
        ``sign_error`` (how probable it is that a verdict names the wrong system), each number that
        was sampled with its ``_mcse``; of more than two systems, over ``system``, the joint answer
        ``prob_best``, ``expected_rank`` and ``in_best_set``, by the Bayesian bootstrap of scores
        without gaps or by the advised model (where neither will do, ``attrs["no_joint"]`` says
        why). Also ``counts``, ``n``, ``bayes_factor_01``; from scores ``n_dropped`` and, over
        ``system``, ``score`` and ``n_scored``; with both methods ``z``. Over a dim ``test``:
        ``p_value`` and ``p_adjusted``; also ``smallest_p`` (of the sign test with so many decisive
        items) and, with randomization, ``swapped_difference`` (of its statistic, A - B). Where ties
        are unknown, what needs them is absent. An advised model of several data sets adds
        ``prob_better_dataset`` (dataset, ...) and ``prob_better_new``, on a data set not seen. A
        second way of computing stands in ``.beside``.

    Raises
    ------
    ValueError
        If an argument is not valid, a rope is given and ties are unknown, or an advised model does
        not know what is asked.

    Warns
    -----
    UserWarning
        If items come in clusters or were run repeatedly and are taken as independent, with the
        number of independent examples that say as much; or if an advised model has not converged.

    Examples
    --------
    >>> import betterthan as bt
    >>> comparison = bt.compare(bt.datasets.contingency_case("a"))
    >>> comparison.pairs[["system", "other", "verdict"]].values.tolist()
    [['A', 'B', 'better']]
    """
    asked = Asked.checked(
        question=Question.checked(rope, ci_prob, ci_kind, threshold),
        method=method,
        ties=ties,
        missing=missing,
        margin=margin,
        prior=prior,
        systems=systems,
        baseline=baseline,
        tests=tests,
        sampling=sampling or Sampling(),
        rng=rng,
    )
    found = of_systems(recognise(data, other, asked.systems), asked)
    advice = advise_on(found) if asked.method == "advised" else None
    taken = advice.spec.takes if advice else ()
    given = count_given(found, asked, taken)
    for line in given.warned:
        warnings.warn(line, stacklevel=2)
    engines = _answered(given, asked, advice)
    main, *others = engines
    result = xr.merge([main.answers, main.beside.drop_vars("z", errors="ignore")], join="exact")
    result["sign_error"] = sign_error(result)
    result = result.assign(_counted(given, asked))
    for beside in (
        given.facts,
        best_of_all(given, asked, main, taken),
        every_policy(given, asked),
        tests_beside(given, asked),
    ):
        result = result.merge(beside.drop_attrs(), join="exact", compat="override")
        result.attrs |= beside.attrs
    for engine in others:
        result = result.merge(engine.beside[[k for k in ("z",) if k in engine.beside]])
    signed = Signature(**_signed(given, asked, advice, engines)).to_attrs()
    return Comparison(result.assign_attrs(signed | result.attrs), _beside(others))


def sign_error(result: xr.Dataset) -> xr.DataArray:
    """Probability that a verdict names the wrong system of the two; nan where none is named."""
    better = result["prob_better"]
    swapped = better.transpose(..., names.SYSTEM_B, names.SYSTEM_A)
    worse = better.copy(data=swapped.values)  # the other tail, not 1 less this one
    verdict = result["verdict"].transpose(*better.dims).values
    sides = [verdict == "a_better", verdict == "b_better"]
    named = np.select(sides, [worse.values, better.values], np.nan)
    return better.copy(data=named).drop_attrs().rename("sign_error")


def _answered(given: Given, asked: Asked, advice: Advice | None) -> list[Engine]:
    """The engines that were asked for, the one to be read first."""
    if advice is not None:
        fitted = advised_answers(given, asked, advice)
        return [*([fitted] if fitted else []), exact_answers(given, asked)]
    ways = {"exact": (exact_answers,), "mcmc": (sampled_answers,)}
    both = (exact_answers, sampled_answers)
    return [answer(given, asked) for answer in ways.get(asked.method, both)]


def _counted(given: Given, asked: Asked) -> dict[str, xr.DataArray]:
    counts = given.counts.drop_attrs()
    return {
        "counts": counts,
        "n": counts.sum(names.OUTCOME),
        "bayes_factor_01": closed.bayes(settled(given.counts, asked.prior)).drop_attrs(),
    }


def _beside(others: list[Engine]) -> dict[str, xr.Dataset]:
    return {
        engine.name: engine.answers.assign(sign_error=sign_error(engine.answers)).assign_attrs(
            Signature(**engine.signed).to_attrs()
        )
        for engine in others
    }


def _signed(
    given: Given, asked: Asked, advice: Advice | None, engines: list[Engine]
) -> dict[str, Any]:
    """How the answer was made."""
    unknown = given.counts.attrs.get("ties") == "unknown"
    own = advice is not None and advice.spec.own_prior
    made = {
        "answer": "comparison",
        "version": betterthan.__version__,
        "prior": None if own else checks.prior(asked.prior, given.counts.sizes[names.OUTCOME]),
        "ties": "unknown" if unknown else asked.ties,
        "method": asked.method,
        "baseline": asked.baseline,
        "advice": None if advice is None else str(advice),
        "notes": given.notes,
    }
    sampled = {k: v for engine in reversed(engines) for k, v in engine.signed.items()}
    return given.signed | made | vars(asked.question) | sampled
