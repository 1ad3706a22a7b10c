"""The methods of a comparison: data, model, tests, computation, limits, and BARG items."""

from dataclasses import dataclass

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.counts.ties import policy_applied
from betterthan.exact.wins import dirichlet
from betterthan.io.problems import counted
from betterthan.model_registry import BOOTSTRAP, ROSTER
from betterthan.posterior.parameters import posterior_parameters, prior_of
from betterthan.posterior.verdicts import of_parameters
from betterthan.results import numbers
from betterthan.results.context import ReportContext
from betterthan.results.document import Part, Table
from betterthan.results.numbers import on_one_line
from betterthan.results.provenance import signature
from betterthan.results.sentences import notes as answer_notes
from betterthan.results.sentences import unit_label
from betterthan.results.tables import interval_label, single_unit
from betterthan.signed import Signature
from betterthan.significance.roster import get_spec


@dataclass(frozen=True)
class Words:
    """What a report says of an engine or a model."""

    how: str = ""  # how it is computed
    model: str = ""  # what it takes outcomes to be; empty for win, loss and tie
    independence: str = ""  # what it takes as independent, where that is not examples
    joint: str = ""  # whence the joint answer of all systems
    column: str = "beside"  # its column, where it stands beside another


_SHRUNK = (
    "The joint answer is by {joint_model} ({joint_draws:,} draws), which shrinks systems towards "
    "each other, the more strongly the more similar they are: the best of many is partly the "
    "luckiest, and is moved back most."
)
_JOINT = {
    BOOTSTRAP: "The joint answer is by the Bayesian bootstrap of the score itself "
    "({joint_draws:,} draws).",
    names.AMONG_ALL: "The joint answers are by quadrature, of {joint_units}: "
    "differences are drawn together by {joint_drawn}, for the best of many is partly the "
    "luckiest; the probability of one group of systems is {joint_groups[0]}, of two "
    "{joint_groups[1]}, of three {joint_groups[2]}; ranks are from {joint_draws:,} draws "
    "of the same posterior (seed {joint_seed}).",
}
ENGINES = {
    "exact": Words("closed form, no sampling error", column="as if one set, independent"),
    "mcmc": Words("PyMC, with Monte Carlo errors", column="by PyMC"),
} | {
    spec.name: Words(
        spec.computed, spec.assumes, spec.taken_as, joint=_JOINT.get(spec.name, _SHRUNK)
    )
    for spec in ROSTER
    if spec.assumes or spec.name in _JOINT
}
# what a model has beside
ALSO = {
    "position": "; d has the advantage of the system shown first",
    "judges": "; judges differ in how often they see a tie, and in that advantage",
}
CLOSED_FORM_NOTE = (
    "closed form of all items as one set of independent ones; wins, losses, mean scores, BF01, "
    "tests and groups are of these, too"
)
EXAMPLES_INDEPENDENT = (
    "Items are treated as independent. Translations, paraphrases or turns of one dialogue are not; "
    "with them, intervals are too narrow."
)


MEASURES_INDEPENDENT = (
    "Measures are treated as independent. Measures that follow from each other, or are correlated, "
    "make one system look better more often than stated."
)


def advised(engine: str) -> bool:
    """Whether an engine is a model of its own, not the one of win, loss and tie."""
    return bool(ENGINES[engine].model)


# of a model, what makes it answer otherwise than a test of the pair's items
MODEL_REASONS = {
    "hierarchical": "weights",
    "clustered": "clusters",
    "davidson": "together",
    "davidson_by_cluster": "clusters",
    "item_response": "together",
    "repeated": "together",
    "graded": "sizes",
    "bayesian_bootstrap": "sizes",
    "jackknife": "sizes",
}


def diagnostics_part(context: ReportContext) -> Part:
    """Sampler, convergence, and the distance from the closed form where both were computed."""
    provenance, sampled = context.provenance, sampled_numbers(context)
    seed = f"seed {provenance.seed}"
    so = "verdicts are of the closed form" if provenance.method == "both" else "no verdict is given"
    failed = f"FAILED, so {so}: {' '.join(provenance.failures or ())}"
    checked = failed if provenance.failures else "passed"
    worth = f"{provenance.ess_min or 0.0:.0f} (limit {names.ESS_MIN})"
    if provenance.rhat_max is not None:
        chains = f"{provenance.chains} chains of {provenance.draws} draws, {seed}"
        facts = [
            ("Sampler", f"{provenance.inference_library}, {chains}"),
            ("Worst R-hat", f"{provenance.rhat_max:.3f} (limit {names.RHAT_MAX:g})"),
            ("Smallest effective sample size", worth),
            ("Divergences", f"{provenance.divergences}"),
            ("Convergence checks", checked),
        ]
        if "z" in context.engines:
            worst = float(np.nanmax(np.abs(context.engines["z"].values)))
            text = f"largest distance {worst:.1f} Monte Carlo standard errors"
            facts.append(("Against the closed form", text))
    elif provenance.pareto_k is not None:
        number = (provenance.chains or 1) * (provenance.draws or 0)
        facts = [
            ("Draws", f"{provenance.inference_library}, {number:,} draws, {seed}"),
            ("k-hat of the weights", f"{provenance.pareto_k:.2f} (limit {names.PARETO_K_MAX:g})"),
            ("Worth of the weighted draws", worth),
            ("Checks of the weights", checked),
        ]
    elif provenance.draws is not None:
        facts = [("Draws", f"{provenance.draws:,}, independent, {seed}")]
    elif sampled:
        pairs = "pairs were not sampled; what was are independent draws"
        facts = [("Closed form", f"{pairs}, ± their Monte Carlo error")]
    else:
        facts = [("Closed form", "nothing was sampled, so there is nothing to diagnose")]
    return Part("Diagnostics", facts=[*facts, *sampled])


def sampled_numbers(context: ReportContext) -> list[tuple[str, str]]:
    """What was sampled in addition to the answers on pairs, and in how many draws."""
    provenance, data, sampled = context.provenance, context.data, []
    if provenance.joint_model == names.AMONG_ALL and "prob_best" in data:
        seed = provenance.joint_seed
        draws = f"{provenance.joint_draws:,} draws of the joint posterior, seed {seed}"
        sampled.append(("P(best) and ranks", draws))
    if provenance.randomization_method == "monte_carlo":
        shuffled = f"{provenance.shuffles:,} random permutations, seed {provenance.shuffle_seed}"
        sampled.append(("Randomization p", shuffled))
    return sampled


def computed_by(context: ReportContext, engine: str, how_well: str = "") -> str:
    """How an engine computes, and how well; what beside a closed form was sampled all the same."""
    how = ENGINES[engine].how if engine in ENGINES else engine
    if engine != "exact":
        return f"{how}{how_well}"
    sampled = [f"; {quantity} from {draws}" for quantity, draws in sampled_numbers(context)]
    return "".join([how, " on pairs" if sampled else "", how_well, *sampled])


def tests_in(comparison: xr.Dataset) -> list[str]:
    """The tests a comparison holds; none in one that was made without."""
    return [str(t) for t in comparison[names.TEST].values] if names.TEST in comparison.dims else []


_NAMED = 12  # systems that are listed
_TIES = {
    "third": "kept as a third outcome",
    "unknown": "unknown",
    "all": "kept as a third outcome; see below",
}


def data_part(context: ReportContext) -> Part:
    """Whence the data are, and how many."""
    provenance = context.provenance
    kind = "judgments" if provenance.observation == "judgment" else "counts"
    kind = "scores" if "n_dropped" in context.data else kind
    facts = [("Source", provenance.reading or provenance.source or f"{kind} given")]
    if provenance.citation:
        facts.append(("Published in", provenance.citation))
    facts += _sizes(context)
    if provenance.datasets:
        facts.append(("Examples of each data set", provenance.datasets))
    if "n_dropped" in context.data:
        facts.append(("Missing scores", _missing(context)))
        facts.append(("Better scores are", "higher" if provenance.higher_is_better else "LOWER"))
    if provenance.margin:
        facts.append(("A tie is", f"a score difference of at most {provenance.margin:g}"))
    return Part("Data", facts=facts)


def _sizes(context: ReportContext) -> list[tuple[str, str]]:
    provenance, n = context.provenance, _pair_values(context, "n")
    units = f"{provenance.observation}s"
    units = f"discordant {units}" if provenance.ties in ("drop", "unknown") else units
    pairs = f", in {n.size} pairs" if context.many else ""
    counted = f"{n.min():,}" if n.min() == n.max() else f"{n.min():,} to {n.max():,}"
    facts = [("Systems", f"{len(context.systems)}{pairs}"), (f"Counted {units} per pair", counted)]
    has_total = provenance.n_items is not None and provenance.n_items >= 0
    total = "Measures in all" if provenance.unit == names.MEASURE else "Examples in all"
    return facts + ([(total, f"{provenance.n_items:,}")] if has_total else [])


def _missing(context: ReportContext) -> str:
    provenance = context.provenance
    if not provenance.n_blank:
        return "none"
    if provenance.missing == "wrong":
        return f"{provenance.n_blank:,}, each counted as the worst score (missing=wrong)"
    dropped = _pair_values(context, "n_dropped")
    low, high = int(dropped.min()), int(dropped.max())
    left = f"{low:,}" if low == high else f"{low:,} to {high:,}, depending on the pair,"
    items = f"{provenance.n_items:,} items (missing={provenance.missing})"
    return f"{provenance.n_blank:,}; left out: {left} of {items}"


def _pair_values(context: ReportContext, name: str) -> np.ndarray:
    """What is known of every pair, each once."""
    return context.data[name].values[np.triu_indices(len(context.systems), 1)]


def model_part(context: ReportContext) -> Part:
    """What the answer assumes, and by what rule there is a verdict."""
    provenance, engines = context.provenance, context.engine_names
    advised_model = advised(engines[0])
    how = [computed_by(context, engine) for engine in (engines[:1] if advised_model else engines)]
    rope = f"at most {context.rope:g} apart" if context.rope else _NO_ROPE
    by = [_QUANTITIES[str(provenance.quantity)]] if provenance.beside_quantity else []
    on = f" on {provenance.tests_on}" if provenance.tests_on else ""
    tests = "; ".join(get_spec(test).words(provenance) + on for test in tests_in(context.data))
    facts = [
        *(("Decided by", quantity) for quantity in by),
        ("Model", model_text(context)),
        *_whose_prior(context),
        ("Ties", _TIES.get(str(provenance.ties), str(provenance.ties))),
        ("Computed by", "; ".join(how)),
        *([("Also computed", CLOSED_FORM_NOTE)] if advised_model else []),
        *([("Advised", " ".join(provenance.advice.split("\n")[1:]))] if provenance.advice else []),
        ("Practically equivalent", rope),
        *([("Tests", f"two-sided, at {provenance.alpha:g}: {tests}")] if tests else []),
        ("Verdict", rule_text(context)),
    ]
    return Part("Model", facts=facts)


_QUANTITIES = {
    "wins": "how often a system wins; its mean is reported too",
    "mean": "the mean; how often a system wins is reported too",
}
_NO_ROPE = "none (0): no verdict is ever 'equivalent'"


def rule_text(context: ReportContext) -> str:
    """When there is a verdict, and how often by chance."""
    threshold = float(context.provenance.threshold or names.VERDICT_PROB)
    wrong, most = 1 - threshold, "at most " * (context.provenance.ties == "half")
    pairwise = "by pairwise verdicts, " * ("pairwise_verdict" in context.data)
    return (
        f"when its posterior probability is at least {threshold:g}, else undecided; {pairwise}one "
        f"of two equal systems is called better {most}about {200 * wrong:.3g} times in 100 "
        f"({100 * wrong:.3g} for each side), and far more often where one looks again after every "
        "item and stops at a verdict"
    )


def model_text(context: ReportContext) -> str:
    """What the data are taken to be, and the prior."""
    prior = ", ".join(f"{p:g}" for p in context.provenance.prior or ())
    if context.provenance.prior is None and not advised(context.engine_names[0]):
        return _units_model(context)
    model = f"wins ~ Binomial(wins + losses, p), p ~ Beta({prior}); A is better when p > 1/2"
    if context.data.sizes[names.OUTCOME] == 3:
        model = (
            f"win, loss, tie ~ Multinomial(theta), theta ~ Dirichlet({prior}); A is better when "
            "theta_win > theta_loss"
        )
    model = ENGINES[context.engine_names[0]].model or model
    if context.provenance.over:
        model += _AVERAGED + _SHARED_PRIOR
    return model + "".join(ALSO[k] for k in (context.provenance.modelled or "").split(", ") if k)


def _units_model(context: ReportContext) -> str:
    """Of Student's t."""
    provenance = context.provenance
    quantity = str(provenance.quantity)
    quantity = {"wins": "wins less losses", "mean": "scores"}.get(quantity, quantity)
    units = counted(provenance.n_units, str(provenance.unit)) if provenance.n_units else "items"
    prior = f", under a normal prior of sd {provenance.prior_sd:g}" if provenance.prior_sd else ""
    averaged = _AVERAGED if provenance.over else ""
    return (
        f"the difference of the means ({quantity}, on {units}) ~ its estimate + its standard "
        f"error x Student's t{prior}; A is better when it favours A{averaged}"
    )


_AVERAGED = "; of each data set by itself, and the answer is of their weighted average"
_SHARED_PRIOR = ", which has this prior: each data set has its weight of the parameters"


def _whose_prior(context: ReportContext) -> list[tuple[str, str]]:
    """Of a prior that is not even, which system it favours."""
    prior = context.provenance.prior or (1.0, 1.0)
    if prior[0] == prior[1]:
        return []
    first = ", ".join(context.input_order[:_NAMED])
    text = f"its first number is for whichever system comes first in the data: {first}"
    return [("Prior is not even", text)]


def limits(context: ReportContext) -> list[str]:
    """What this comparison cannot say."""
    _, more, _ = answer_notes(context.answer)
    notes = [*(context.provenance.notes or ()), *more, *_independence(context)]
    notes += _named_by_chance(context)
    notes.append(
        '"Undecided" means that the data support no verdict, not that the systems are equal.'
    )
    if not context.rope:
        notes.append(
            '"Better" means better by any amount. Pass rope= to ask whether a difference matters.'
        )
    else:
        notes.append(
            '"Better" means a difference above 0. The answer also says whether it is larger than '
            "the ROPE."
        )
    if context.provenance.unit != names.MEASURE:
        notes.append(
            "Probabilities are about new items like these, not about items of another kind."
        )
    return notes


def _independence(context: ReportContext) -> list[str]:
    if context.provenance.n_units is not None:
        tests = "frequentist tests compare the means of their runs."
        if context.provenance.tests_on:
            tests = "frequentist tests and Bayes factors also count whole clusters."
        units = f"{context.provenance.unit}s"
        held = f"{context.provenance.observation}s"
        return [f"The {units} are treated as independent, not the {held} in them; {tests}"]
    if context.provenance.unit == names.MEASURE:
        return [MEASURES_INDEPENDENT]
    if context.provenance.model == "davidson_by_cluster":
        return ["Judges, or clusters of judgments, are treated as independent, not judgments."]
    if context.provenance.unit != "judgment":
        return [ENGINES[context.engine_names[0]].independence or EXAMPLES_INDEPENDENT]
    modelled = context.provenance.modelled or ""
    who = "on one prompt" if "judges" in modelled else "by one judge, or on one prompt,"
    notes = [
        f"Judgments are treated as independent. Several {who} are not; with them, intervals are "
        "too narrow."
    ]
    if "position" not in modelled:
        notes.append(
            "The position of the two outputs is ignored. betterthan.models.davidson models it: "
            "position=True, with judgments from betterthan.io.read_judgments."
        )
    return notes


def _named_by_chance(context: ReportContext) -> list[str]:
    """How often the rule names one of two equal systems."""
    threshold = context.provenance.threshold or names.VERDICT_PROB
    rate, stricter = 200 * (1 - threshold), (1 + threshold) / 2
    most = "at most " * (context.provenance.ties == "half")
    text = (
        f"Pairwise verdicts are one-sided: of two equal systems, one is called better in {most}"
        f"about {rate:.2g}% of data sets ({rate / 2:.2g}% with threshold={stricter:g}). So the "
        "two-sided interval of a decided pair may include 0."
    )
    if "pairwise_verdict" in context.data and threshold >= names.VERDICT_PROB:
        text += (
            f" With the joint model, this happens in at most {100 * JOINT_FALSE_VERDICTS:g}% of "
            f"pairs of {_SIMULATED} that are equal (simulated)."
        )
    return [text]


# of pairs of equal systems, how many the joint answer names one of: see docs/methods/calibration.md
JOINT_FALSE_VERDICTS = 0.003
_SIMULATED = "10 or 20 systems"


def multiplicity(context: ReportContext) -> list[str]:
    """How many pairs were compared, how many of the verdicts are expected to be wrong, and whence
    the joint answer.
    """
    provenance = context.provenance
    if "prob_best" not in context.data:
        how = provenance.no_joint or "pairwise answers do not show which system is the best of all"
        return [_multiplicity(context.data), f"There is no joint answer here: {how}."]
    joint = ENGINES[str(provenance.joint_model)].joint
    how = provenance.to_attrs()
    if provenance.joint_kept is not None:
        how["joint_drawn"] = numbers.share(1 - provenance.joint_kept)
    if provenance.joint_groups is not None:
        how["joint_groups"] = [numbers.probability(p) for p in provenance.joint_groups]
    return [_multiplicity(context.data), joint.format_map(how)]


def _multiplicity(main: xr.Dataset) -> str:
    upper = np.triu_indices(main.sizes[names.SYSTEM_A], 1)
    squares = (main[k].transpose(*names.SQUARE).values for k in ("verdict", "sign_error"))
    verdict, error = (square[upper] for square in squares)
    wrong, n_named = np.nansum(error), int(np.isin(verdict, ("a_better", "b_better")).sum())
    single = single_unit(main)[upper]
    compared = int(((verdict != "no_data") | single).sum())
    if single.any() and single.sum() == compared:
        unit = unit_label(Signature.from_attrs(main.attrs))
        return f"Pairs compared: {compared:,}; there is no verdict on any, for each has one {unit}."
    if (verdict == "no_verdict").all():
        reason = main["reason"].values[0, -1] if "reason" in main else names.NOT_CONVERGED
        return f"Pairs compared: {compared:,}; there is no verdict on any: {reason}."
    alone = ""
    if "pairwise_verdict" in main:
        pairwise = main["pairwise_verdict"].transpose(*names.SQUARE).values[upper]
        n_alone = int(np.isin(pairwise, ("a_better", "b_better")).sum())
        alone = f" Pairwise, there would be {n_alone:,} such verdict{'s' * (n_alone != 1)}."
    if not n_named:
        return f"Pairs compared: {compared:,}; no verdict names a better system.{alone}"
    if "pairwise_verdict" not in main:
        return (
            f"Pairs compared: {compared:,}, of which {n_named:,} with a better system. Expected "
            f"number of wrong verdicts, by their own probabilities: {wrong:.2g}; where many "
            "systems are similar, it is far higher. The best of many is partly the luckiest."
        )
    return (
        f"Pairs compared: {compared:,}, of which {n_named:,} with a better system. Expected "
        f"number of wrong verdicts, by the joint model: {wrong:.2g}.{alone}"
    )


HEADING = "Analysis report (BARG)"
_PAIRS_VARIED = 45  # pairs whose sensitivity is tried in all combinations
_BY_HAND = "TO FILL IN: "
_TIES_VARIED = {"third": "kept", "drop": "dropped", "half": "half each"}
_CASES = {"as they are": "left out", "worst": "worst for the first", "best": "best for the first"}
_SMALL_ROPES = (0.0, 0.01, 0.05)


def barg_part(context: ReportContext) -> Part:
    """The appendix: a fact a step, and how far verdicts depend on what was chosen."""
    provenance, first = context.provenance, context.engine_names[0]
    quantity = provenance.difference_is or "which system wins more often"
    facts = [
        (
            "0 Goal",
            "How probable it is that one system is better than another, and by how much, given few "
            f"items; the quantity is: {quantity}. A posterior answers that directly, and can "
            "also say that two systems are practically the same.",
        ),
        ("0 Question", f"{_BY_HAND}why these systems, this test set and this metric"),
        ("1 Likelihood and prior", model_text(context)),
    ]
    prior = provenance.prior
    if prior is not None and len(prior) == 3 and not provenance.over:
        sd = float(dirichlet.sd_difference(*prior))
        mean = (prior[0] - prior[1]) / sum(prior)
        implied = f"before any data the difference has mean {mean:.3g} and standard deviation "
        facts.append(("1 Implied prior", f"{implied}{sd:.3g}"))
    how = ""
    if provenance.rhat_max is not None:
        ess = f"effective sample size from {provenance.ess_min:.0f}"
        how = f"; worst R-hat {provenance.rhat_max:.3f}, {ess}"
    elif provenance.pareto_k is not None:
        worth = f"worth {provenance.ess_min:.0f} draws"
        how = f"; k-hat of the weights {provenance.pareto_k:.2f}, {worth}"
    elif first == "exact":
        of = "pairwise " if provenance.joint_model == names.AMONG_ALL else ""  # not of quadrature
        how = f"; {of}probabilities within 1e-9, quantities of the difference within 1e-10"
    posterior = f"means with {interval_label(provenance.to_attrs())}, in the table of pairs"
    rope = (
        f"a difference of at most {context.rope:g} is practically none" if context.rope else "none"
    )
    sensitivity = _sensitivity(context)
    facts += [
        ("1 Prior, justified", f"{_BY_HAND}why this prior"),
        ("2 Computation", computed_by(context, first, how)),
        ("3 Posterior", posterior),
        ("4 Decision", f"a verdict {rule_text(context)}"),
        ("4 Region of practical equivalence", rope),
        ("4 Rule, justified", f"{_BY_HAND}why this threshold, and this region"),
        ("5 Sensitivity", _sensitivity_text(sensitivity, context)),
        ("6 Reproducibility", on_one_line(signature(context.data))),
    ]
    return Part(
        HEADING,
        facts=facts,
        tables=[_sensitivity_table(sensitivity[1])] if sensitivity else (),
        folded=True,
    )


# the verdicts of every combination of choices that are others than those asked for, (choice, pair),
# and those where a single choice, by its name and value, is another
_Sensitivity = tuple[np.ndarray, dict[str, dict[str, np.ndarray]]]


def _sensitivity(context: ReportContext) -> _Sensitivity | None:
    """Which verdicts change with the prior, the ties, the ROPE and the missing scores."""
    provenance, rope = context.provenance, context.rope
    by_counts = provenance.over is None and "n_units" not in context.data
    with_ties = len(provenance.prior or ()) == 3 and provenance.ties in ("third", "all")
    if not (by_counts and with_ties and context.engine_names[0] == "exact"):
        return None
    # what was asked for comes first
    others = (*names.PRIORS.values(), prior_of(names.SKEPTICAL, context.data["counts"]))
    priors = list(dict.fromkeys(map(tuple, (provenance.prior or (), *others))))
    ropes = [rope, 0.0, rope / 2, 2 * rope] if rope else list(_SMALL_ROPES)
    cases = _counts_by_case(context)
    labels = {
        "prior": [f"Dirichlet({', '.join(f'{p:g}' for p in prior)})" for prior in priors],
        "ties": list(_TIES_VARIED.values()),
        "rope": [f"{rope:g}" for rope in ropes],
        "missing": [_CASES[case] for case in cases],
    }
    by_pair = [counts.transpose(names.PAIR, names.OUTCOME) for counts in cases.values()]
    settled = [policy_applied(counts, ties) for ties in _TIES_VARIED for counts in by_pair]
    parameters = [[posterior_parameters(n, prior).values for n in settled] for prior in priors]
    a, b, t = np.moveaxis(np.array(parameters), 2, 0)  # over priors, ties with cases, and pairs
    threshold = float(provenance.threshold or names.VERDICT_PROB)
    verdicts = np.stack([of_parameters(a, b, t, half, threshold) for half in ropes])
    sizes = len(ropes), len(priors), len(_TIES_VARIED), len(cases), -1
    changed = (verdicts != verdicts[0, 0, 0]).reshape(sizes).transpose(1, 2, 0, 3, 4)
    by_choice = {}
    for axis, (name, values) in reversed([*enumerate(labels.items())]):
        alone = np.moveaxis(changed, axis, 0)[:, 0, 0, 0]
        by_choice[name] = dict(zip(values[1:], alone[1:], strict=True))
    return changed.reshape(-1, changed.shape[-1])[1:], by_choice


def _counts_by_case(context: ReportContext) -> dict[str, xr.DataArray]:
    """Of the first pairs, as they are and in the worst and best case of missing scores."""
    first, second = (
        xr.DataArray(list(places), dims=names.PAIR)
        for places in zip(*context.pairs[:_PAIRS_VARIED], strict=True)
    )
    places = {names.SYSTEM_A: first, names.SYSTEM_B: second}
    counts = {"as they are": context.data["counts"].isel(places)}
    if "counts_worst" in context.data:
        worst = context.data["counts_worst"]
        reverse = {names.SYSTEM_A: second, names.SYSTEM_B: first}
        other = worst.isel(reverse).isel({names.OUTCOME: [1, 0, 2]})
        counts["worst"] = worst.isel(places)
        counts["best"] = other.assign_coords({names.OUTCOME: [*names.OUTCOMES]})
    return {k: v.drop_vars(names.SQUARE, errors="ignore").astype(int) for k, v in counts.items()}


def _sensitivity_text(sensitivity: _Sensitivity | None, context: ReportContext) -> str:
    if context.provenance.over:
        return f"not computed for an average. {_BY_HAND}what other choices would say"
    if sensitivity is None:
        return f"computed only for wins, losses and ties. {_BY_HAND}what other choices would say"
    changes, _ = sensitivity
    pairs, some = changes.shape[1], int(changes.any(0).sum())
    every = len(context.systems) * (len(context.systems) - 1) // 2
    which = "pairs" if pairs == every else "pairs shown"
    text = f"{some:,} of {pairs:,} {which} {'gets' if some == 1 else 'get'} another verdict"
    if pairs == 1:
        text = "the pair gets another verdict" if some else "the pair keeps its verdict"
    ending = " in at least one" if some or pairs > 1 else ""
    return (
        f"under {len(changes):,} other combinations of prior, ties, missing scores and region, "
        f"{text}{ending}"
    )


def _sensitivity_table(by_choice: dict[str, dict[str, np.ndarray]]) -> Table:
    rows = [
        (name.capitalize(), label, f"{int(changed.sum()):,} of {len(changed):,}")
        for name, values in by_choice.items()
        for label, changed in values.items()
    ]
    caption = "One choice changed at a time: how many verdicts, each pair by itself, are others"
    return Table(("Choice", "Instead", "Other verdicts"), rows, caption, left=2, name="sensitivity")
