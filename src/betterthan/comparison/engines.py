"""The engines that answer for all pairs: closed forms, PyMC, and the model that is advised."""

from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

import betterthan
from betterthan import checks, names
from betterthan.blocks.lazy import work_on
from betterthan.comparison.evaluation import Evaluation
from betterthan.comparison.options import Options
from betterthan.counts.shapes import Table, pair_indices, without_attrs
from betterthan.counts.units import CLUSTER, UNIT, default_unit, in_units
from betterthan.exact.joint.units import PairMeans
from betterthan.exact.joint.units import differences as unit_differences
from betterthan.model_registry import BOOTSTRAP, CLUSTERED, Spec, spec_of
from betterthan.posterior import closed, table
from betterthan.posterior.parameters import posterior_parameters
from betterthan.results.saved import kept
from betterthan.signed import Signature

if TYPE_CHECKING:
    from betterthan.posterior.from_draws import Diagnosis


@dataclass(frozen=True)
class Answer:
    """Answers over (system_a, system_b), computed by one engine."""

    engine: str  # exact, mcmc, or the model that was advised
    table: Table
    more: Table = field(default_factory=Table)  # over system or data set, and how engines differ
    settings: dict[str, Any] = field(default_factory=dict)  # and diagnostics
    fit: xr.DataTree | None = None  # its draws, where it sampled

    @property
    def converged(self) -> bool:
        """Whether its verdicts may be given."""
        return not self.settings.get("failures")


def closed_form(evaluation: Evaluation, options: Options) -> Answer:
    """Probabilities, differences, masses and verdicts in closed form."""
    return Answer("exact", closed_table(evaluation.quantity.lead, evaluation, options))


def closed_table(quantity: str, evaluation: Evaluation, options: Options) -> Table:
    """The closed form of a quantity: of wins on single items by their counts, else Student's t on
    units.
    """
    question, of_units = options.question, means_of(quantity, evaluation)
    if of_units is None:
        return _of_counts(evaluation, options, masses=quantity == evaluation.quantity.lead)
    means, higher_is_better = of_units
    parts = table.by_pair(
        means, question, higher_is_better=higher_is_better, prior_sd=options.prior_sd
    )
    if quantity == evaluation.quantity.lead != "mean":
        _refuse_of_items(evaluation, options)
    systems = evaluation.systems
    squares = table.squares(parts, len(systems), *pair_indices(len(systems)))
    several = squares["n_units"] > 1
    return table.exact_table(squares, systems, question, n=several, facts=_OF_UNITS)


def means_of(quantity: str, evaluation: Evaluation) -> tuple[PairMeans, bool] | None:
    """Means of differences on units, and whether more of them is better; None of wins on single
    items.
    """
    totals = evaluation.totals
    if totals is not None and (
        quantity == "mean" or (quantity == "accuracy" and not evaluation.single)
    ):
        # accuracy is higher where errors are fewer
        return totals.pairs, totals.higher_is_better or quantity == "accuracy"
    if evaluation.unit != CLUSTER:
        return None
    net, size = evaluation.net_wins
    return unit_differences(net, size, np.zeros_like(net), size, most=1.0), True


_OF_UNITS = ("n_units", "difference_error", "difference_df", "difference_skewness")


def _of_counts(evaluation: Evaluation, options: Options, *, masses: bool) -> Table:
    of, question = posterior_parameters(evaluation.counts, options.prior), options.question
    parts = {"prob_better": closed.better(of)}
    if evaluation.ties_known:
        systems = evaluation.counts.sizes[names.SYSTEM_A]
        workers = work_on(systems * (systems - 1) // 2, evaluation.kind == "blocks")
        size = closed.size(of, question.ci_prob, question.ci_kind, workers)
        parts |= {f"difference_{key}": size[key] for key in ("mean", "lower", "upper")}
        if masses or question.rope:  # of another quantity nobody reads them
            parts["mass"] = closed.masses(of, question.rope, workers)
    return table.exact_table(parts, evaluation.systems, question, n=evaluation.examples)


def _refuse_of_items(evaluation: Evaluation, options: Options) -> None:
    """What is of independent items says nothing of units."""
    units = "repeated runs" if evaluation.unit == "item" else f"{evaluation.unit}s"
    if options.ties == "all":
        raise ValueError(
            f"ties='all' tells every policy of independent items, not of {units}; name one "
            "policy, or pass unit='item'"
        )
    length = evaluation.counts.sizes[names.OUTCOME]
    if options.prior_sd:
        return
    if checks.prior(options.prior, length) != checks.prior(None, length):
        wins = " or quantity='wins'" if evaluation.unit == "item" else ""
        raise ValueError(
            f"prior={options.prior!r} is of win, loss and tie of independent items, and says "
            f"nothing of Student's t on {units}; leave it out, or pass unit='item'{wins}"
        )


def mcmc(evaluation: Evaluation, options: Options) -> Answer:
    """The same from PyMC, each number with its Monte Carlo error: of clusters, or of items with
    their runs, by the model of wins on them.
    """
    if evaluation.in_units:
        return _fitted(spec_of(CLUSTERED), evaluation, options)
    from betterthan.models import beta_binomial, dirichlet_multinomial
    from betterthan.posterior.from_draws import diagnose, posterior_of

    counts, question = evaluation.counts, options.question
    three = counts.sizes[names.OUTCOME] == 3
    tree = (dirichlet_multinomial if three else beta_binomial).fit(
        counts, prior=options.prior, sampling=options.sampling, rng=options.seed, predictive=False
    )
    answers = table.of_posterior(posterior_of(tree), question)
    if not three and evaluation.ties_known:
        answers = answers.assign(_unknown_size(answers["prob_better"]))
    diagnosis, examples = diagnose(tree), evaluation.examples
    n = None if examples is None else answers["prob_better"].copy(data=examples)
    decided = table.with_verdicts(answers, question, converged=diagnosis.passed, n=n)
    settings = _settings(tree["posterior"].attrs, diagnosis)
    return Answer("mcmc", Table.of(decided), settings=settings, fit=tree)


def engine_distance(evaluation: Evaluation, sampled: Answer) -> Table:
    """``z`` of each pair: how many Monte Carlo errors PyMC lies from the closed form; none of
    units, whose closed form is of another model.
    """
    if evaluation.in_units or sampled.fit is None:
        return Table()
    from betterthan.fits.checking import distance

    z = distance(evaluation.counts, sampled.fit)["z"]
    return Table.of(xr.Dataset({"z": without_attrs(z)}))


def mcmc_judged(data: xr.Dataset, n: np.ndarray, options: Options) -> Answer:
    """The answers of judged counts from PyMC; `n` is the items of each pair, as a square."""
    from betterthan.fits.checking import distance
    from betterthan.models import judge
    from betterthan.posterior.from_draws import diagnose, posterior_of

    tree = judge.fit(
        data, prior=options.prior, sampling=options.sampling, rng=options.seed, predictive=False
    )
    posterior, diagnosis = posterior_of(tree), diagnose(tree)
    answers = table.of_differences(posterior["difference"], options.question, square=True)
    items = answers["prob_better"].copy(data=n)
    decided = table.with_verdicts(answers, options.question, converged=diagnosis.passed, n=items)
    z = distance(data, tree)["z"]
    square = table.of_pairs({"difference_mean": z.values}, z, square=True)  # of (B, A) it is -z
    settings = _settings(posterior.attrs, diagnosis)
    z_table = Table.of(square.rename({"difference_mean": "z"}))
    return Answer("mcmc", Table.of(decided), z_table, settings, tree)


def advised(evaluation: Evaluation, options: Options) -> Answer | None:
    """The model that `advise` names; None where that is the closed form.

    Raises
    ------
    ValueError
        If something is asked that the model does not know.
    """
    assert evaluation.advice is not None  # computed as the data were loaded
    spec = evaluation.advice.spec
    refuse_unknown(spec, options)
    if options.quantity == "wins" and evaluation.kind == "tallies":
        raise ValueError(
            f"quantity='wins' counts wins, and the advised {spec.name} answers about F1; use "
            "method='exact'"
        )
    if spec.fitted:
        return _fitted(spec, evaluation, options)
    choices: Any = vars(options.question) | {"rng": options.seed}
    answers = None
    if spec.name == BOOTSTRAP:
        from betterthan.scores.resampling import bootstrap

        together = in_units(evaluation.data, default_unit(evaluation.data) or names.ITEM)
        answers = bootstrap(together, unit=UNIT, **choices)
    elif spec.door:
        function = attrgetter(spec.door)(betterthan)
        answers = function(evaluation.data, **spec.options(evaluation), **choices).data
    return None if answers is None else _of_model(answers, spec)


def _fitted(spec: Spec, evaluation: Evaluation, options: Options) -> Answer:
    """The answers of a fitted model; of several data sets, these weigh the same."""
    from betterthan.fits.comparing import compare as compare_fit

    choices = spec.options(evaluation)
    if _has_prior(options):
        choices["prior"] = options.prior
    sampling = {"sampling": options.sampling, "rng": options.seed, "predictive": False}
    tree = spec.fit(spec.prepare(evaluation), **choices, **sampling)
    answers = compare_fit(tree, **vars(options.question)).data
    if "target" in answers.dims:  # equal, or a data set not seen
        new = answers.sel(target="new", drop=True)
        of_new = {f"prob_better_new{end}": new[f"prob_better{end}"] for end in _EITHER}
        answers = answers.sel(target="equal", drop=True).assign(of_new)
    return replace(_of_model(answers, spec), fit=tree)


def refuse_unknown(spec: Spec, options: Options) -> None:
    """What a model does not know is not passed over in silence."""
    if options.question.rope and spec.rope_unit == "score":
        raise ValueError(
            f"rope={options.question.rope:g} is a difference of probabilities, and the advised "
            f"{spec.name} measures in units of the score; use method='exact', or its own call"
        )
    if options.margin and not spec.knows_margin:
        raise ValueError(
            f"margin={options.margin:g} is for counting wins; the advised {spec.name} does not; "
            "use method='exact'"
        )
    if spec.own_prior and _has_prior(options):
        raise ValueError(
            f"a prior of win, loss and tie says nothing of the advised {spec.name}; use "
            "method='exact'"
        )


def _has_prior(options: Options) -> bool:
    """Whether the prior is another one than the default."""
    return options.prior is not None and checks.prior(options.prior) != checks.prior(None)


def _of_model(answers: xr.Dataset, spec: Spec) -> Answer:
    """The answers of a model as those of an engine; an error that was not computed is nan."""
    nothing = xr.full_like(answers["prob_better"], np.nan)
    columns = xr.Dataset({key: answers.get(key, nothing) for key in _COLUMNS})
    if "also_ahead" not in answers:
        columns["also_ahead"] = xr.zeros_like(nothing, dtype=bool)
    signature = Signature.from_attrs(answers.attrs)
    statistic = signature.statistic or "mean"
    of_items = statistic == "mean"  # else of all items together, such as F1
    more = answers[[key for key in (*_MORE, *_SCORES * (not of_items)) if key in answers]]
    tables = [
        Table.of(without_attrs(part.drop_vars([c for c in part.coords if c not in part.dims])))
        for part in (columns, more)
    ]
    effects = ", ".join(k for k in ("position", "judges") if answers.attrs.get(k))
    settings = {k: getattr(signature, k) for k in _SAMPLED if getattr(signature, k) is not None}
    settings |= {"model": spec.name, "modelled": effects or None}
    if not of_items:
        quantity = names.STATISTIC_LABELS.get(statistic, statistic)
        settings |= {"quantity": quantity, "difference_is": f"difference in {quantity}"}
    return Answer(spec.name, tables[0], tables[1], settings)


_EITHER = ("", "_mcse")
_COLUMNS = (
    *(f"prob_better{end}" for end in _EITHER),
    *(f"difference_{of}{end}" for of in ("mean", "lower", "upper") for end in _EITHER),
    *(f"mass{end}" for end in _EITHER),
    *("verdict", "also_ahead"),
)
_MORE = (
    *(f"prob_better_{of}{end}" for of in ("dataset", "new") for end in _EITHER),
    *("prob_best", "prob_best_mcse", "expected_rank", "expected_rank_mcse", "in_best_set"),
    "prob_rank",
)
_SCORES = ("score", "score_lower", "score_upper")
_SAMPLED = (
    *("seed", "draws", "chains", "inference_library"),
    *("rhat_max", "pareto_k", "ess_min", "divergences", "failures", "joint_notes"),
)


def fits_of(answers: list[Answer]) -> tuple[dict[str, xr.DataTree], tuple[str, ...]]:
    """The fits that are stored with the answer, by engine, and what was left out."""
    stored = {answer.engine: kept(answer.fit) for answer in answers if answer.fit is not None}
    trees = {name: tree for name, (tree, _) in stored.items() if tree is not None}
    return trees, tuple(note for _, note in stored.values() if note)


def _unknown_size(better: xr.DataArray) -> dict[str, xr.DataArray]:
    """A two-way model has no draws of the difference."""
    nothing = xr.full_like(better, np.nan)
    regions = nothing.expand_dims({names.REGION: list(names.REGIONS)}, axis=-1)
    parts = {f"difference_{key}": nothing for key in ("mean", "lower", "upper")} | {"mass": regions}
    return {f"{name}{end}": value for name, value in parts.items() for end in _EITHER}


def _settings(attrs: Any, diagnosis: "Diagnosis") -> dict[str, Any]:
    recorded = ("seed", "draws", "chains", "inference_library", "model")
    settings = {k: attrs[k] for k in recorded if k in attrs}
    settings |= {k: getattr(diagnosis, k) for k in ("rhat_max", "ess_min", "divergences")}
    return settings | {"failures": tuple(diagnosis.failures)}
