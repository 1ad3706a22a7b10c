"""The methods of a comparison: data, model, tests, computation, and limits."""

from dataclasses import dataclass

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.io.problems import counted
from betterthan.model_registry import BOOTSTRAP, ROSTER
from betterthan.results.context import ReportContext
from betterthan.results.document import Part
from betterthan.results.rows import in_one_unit
from betterthan.results.sentences import unit_of
from betterthan.signed import Signature


@dataclass(frozen=True)
class Words:
    """What a report says of an engine or a model."""

    how: str = ""  # how it is computed
    model: str = ""  # what it takes outcomes to be; empty for win, loss and tie
    taken_as: str = ""  # what it takes as independent, where that is not examples
    joint: str = ""  # whence the joint answer of all systems
    beside: str = "beside"  # its column, where it stands beside another


_SHRUNK = (
    "The joint answer is by {joint_model} ({joint_draws:,} draws), which shrinks systems towards "
    "each other, the more strongly the more similar they are: the best of many is partly the "
    "luckiest, and is moved back most."
)
_JOINT = {
    BOOTSTRAP: "The joint answer is by the Bayesian bootstrap of the score itself "
    "({joint_draws:,} draws).",
    names.AMONG_ALL: "The answers among all systems are by quadrature, of {joint_units}: "
    "differences are drawn together by {joint_drawn:.0%}, for the best of many is partly the "
    "luckiest; the probability of one group of systems is {joint_groups[0]:.2f}, of two "
    "{joint_groups[1]:.2f}, of three {joint_groups[2]:.2f}; ranks are from {joint_draws:,} draws "
    "of the same posterior (seed {joint_seed}).",
}
ENGINES = {
    "exact": Words("closed form, no sampling error", beside="as if one set, independent"),
    "mcmc": Words("PyMC, with Monte Carlo errors", beside="by PyMC"),
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
BESIDE = (
    "closed form of all examples as one set of independent ones; wins, losses, mean scores, BF01, "
    "tests and groups are of these, too"
)
EXAMPLES_INDEPENDENT = (
    "Examples are taken as independent draws of one population; translations, paraphrases or turns "
    "of one dialogue are not, and make the answers more certain than they should be."
)


def advised(engine: str) -> bool:
    """Whether an engine is a model of its own, not the one of win, loss and tie."""
    return bool(ENGINES[engine].model)


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


def diagnostics_part(context: ReportContext) -> Part:
    """Sampler, convergence, and the distance from the closed form where both were computed."""
    made, beside = context.provenance, sampled_beside(context)
    if made.rhat_max is not None:
        return Part("Diagnostics", [*_of_chains(context), *_against_closed_form(context), *beside])
    if made.pareto_k is not None:
        return Part("Diagnostics", facts=[*_of_weights(context), *beside])
    if made.draws is not None:
        drawn = ("Draws", f"{made.draws:,}, independent, seed {made.seed}")
        return Part("Diagnostics", facts=[drawn, *beside])
    nothing = "nothing was sampled, so there is nothing to diagnose"
    if beside:
        nothing = (
            "pairs were not sampled; what was are independent draws, ± their Monte Carlo error"
        )
    return Part("Diagnostics", facts=[("Closed form", nothing), *beside])


def sampled_beside(context: ReportContext) -> list[tuple[str, str]]:
    """What was sampled beside the answers on pairs, and in how many draws."""
    made, whole, found = context.provenance, context.data, []
    if made.joint_model == names.AMONG_ALL and "prob_best" in whole:
        draws = f"{made.joint_draws:,} draws of the joint posterior, seed {made.joint_seed}"
        found.append(("P(best) and ranks", draws))
    if made.randomization_method == "monte_carlo":
        shuffled = f"{made.shuffles:,} random permutations, seed {made.shuffle_seed}"
        found.append(("Randomization p", shuffled))
    return found


def computed_by(context: ReportContext, engine: str, how_well: str = "") -> str:
    """How an engine computes, and how well; what beside a closed form was sampled all the same."""
    how = ENGINES[engine].how if engine in ENGINES else engine
    if engine != "exact":
        return f"{how}{how_well}"
    beside = [f"; {what} from {draws}" for what, draws in sampled_beside(context)]
    return "".join([how, " on pairs" if beside else "", how_well, *beside])


def _of_weights(context: ReportContext) -> list[tuple[str, str]]:
    made = context.provenance
    number = (made.chains or 1) * (made.draws or 0)
    failed = f"FAILED, so no verdict is given: {' '.join(made.failures or ())}"
    return [
        ("Draws", f"{made.inference_library}, {number:,} draws, seed {made.seed}"),
        ("k-hat of the weights", f"{made.pareto_k:.2f} (limit {names.PARETO_K_MAX:g})"),
        ("Worth of the weighted draws", f"{made.ess_min:.0f} (limit {names.ESS_MIN})"),
        ("Checks of the weights", failed if made.failures else "passed"),
    ]


def _of_chains(context: ReportContext) -> list[tuple[str, str]]:
    made = context.provenance
    chains = f"{made.chains} chains of {made.draws} draws, seed {made.seed}"
    failed = f"FAILED, so no verdict is given: {' '.join(made.failures or ())}"
    return [
        ("Sampler", f"{made.inference_library}, {chains}"),
        ("Worst R-hat", f"{made.rhat_max:.3f} (limit {names.RHAT_MAX:g})"),
        ("Smallest effective sample size", f"{made.ess_min:.0f} (limit {names.ESS_MIN})"),
        ("Divergences", f"{made.divergences}"),
        ("Convergence checks", failed if made.failures else "passed"),
    ]


def _against_closed_form(context: ReportContext) -> list[tuple[str, str]]:
    if "z" not in context.engines:
        return []
    worst = float(np.nanmax(np.abs(context.engines["z"].values)))
    told = f"largest distance {worst:.1f} Monte Carlo standard errors"
    return [("Against the closed form", told)]


_SIGN_TIES = {"drop": "ties dropped", "half": "ties split half and half"}


def tests_of(comparison: xr.Dataset) -> list[str]:
    """The tests a comparison holds; none in one that was made without."""
    return [str(t) for t in comparison[names.TEST].values] if names.TEST in comparison.dims else []


def settings_of_tests(context: ReportContext) -> list[tuple[str, str]]:
    """How the tests were done, for the list of settings."""
    on = f" on {context.provenance.tests_on}" if context.provenance.tests_on else ""
    said = [_test_in_words(test, context.provenance) + on for test in tests_of(context.data)]
    told = f"two-sided, at {context.provenance.alpha:g}: {'; '.join(said)}" if said else ""
    return [("Tests", told)] if said else []


def _test_in_words(test: str, made: Signature) -> str:
    ties = _SIGN_TIES.get(str(made.sign_ties), str(made.sign_ties))
    if test == "sign":
        return f"sign test ({ties})"
    if test == "mid_p":
        return f"mid-p sign test ({ties})"
    if test == "trinomial":
        return "trinomial test (ties kept)"
    how = f"exact, {made.randomization_method}"
    if made.randomization_method == "monte_carlo":
        how = f"{made.shuffles:,} random permutations, seed {made.shuffle_seed}"
    return f"randomization of {made.randomization_statistic} ({how})"


_NAMED = 12  # systems that are listed
_TIES = {
    "third": "kept as a third outcome",
    "unknown": "unknown",
    "all": "kept as a third outcome; see below",
}


def data_part(context: ReportContext) -> Part:
    """Whence the data are, and how many."""
    made = context.provenance
    facts = [("Source", made.reading or made.source or _given(context))]
    if made.citation:
        facts.append(("Published in", made.citation))
    facts += _sizes(context)
    if made.datasets:
        facts.append(("Examples of each data set", made.datasets))
    if "n_dropped" in context.data:
        facts.append(("Missing scores", _missing(context)))
        facts.append(("Better scores are", "higher" if made.higher_is_better else "LOWER"))
    if made.margin:
        facts.append(("A tie is", f"a score difference of at most {made.margin:g}"))
    return Part("Data", facts=facts)


def _given(context: ReportContext) -> str:
    """What was given, where nothing says whence it was read."""
    if "n_dropped" in context.data:
        return "scores given"
    return "judgments given" if context.provenance.unit == "judgment" else "counts given"


def _sizes(context: ReportContext) -> list[tuple[str, str]]:
    made, n = context.provenance, _of_pairs(context, "n")
    what = "judgments" if made.unit == "judgment" else "examples"
    what = f"discordant {what}" if context.data.sizes[names.OUTCOME] == 2 else what
    pairs = f", in {n.size} pairs" if context.many else ""
    counted = f"{n.min():,}" if n.min() == n.max() else f"{n.min():,} to {n.max():,}"
    facts = [
        ("Systems", f"{len(context.systems)}{pairs}"),
        (f"Counted {what} per pair", counted),
    ]
    known = made.n_items is not None and made.n_items >= 0
    return facts + ([("Examples in all", f"{made.n_items:,}")] if known else [])


def _missing(context: ReportContext) -> str:
    made = context.provenance
    if not made.n_blank:
        return "none"
    if made.missing == "wrong":
        return f"{made.n_blank:,}, each counted as the worst score (missing=wrong)"
    dropped = _of_pairs(context, "n_dropped")
    low, high = int(dropped.min()), int(dropped.max())
    left = f"{low:,}" if low == high else f"{low:,} to {high:,}, depending on the pair,"
    return (
        f"{made.n_blank:,}; left out: {left} of {made.n_items:,} examples (missing={made.missing})"
    )


def _of_pairs(context: ReportContext, name: str) -> np.ndarray:
    """What is known of every pair, each once."""
    return context.data[name].values[np.triu_indices(len(context.systems), 1)]


def model_part(context: ReportContext) -> Part:
    """What the answer assumes, and by what rule there is a verdict."""
    made, engines = context.provenance, context.engine_names
    alone = advised(engines[0])
    how = [computed_by(context, engine) for engine in (engines[:1] if alone else engines)]
    rope = f"at most {context.rope:g} apart" if context.rope else _NO_ROPE
    facts = [
        *([("Decided by", _QUANTITIES[str(made.quantity)])] if made.beside_quantity else []),
        ("Model", model_of(context)),
        *_whose_prior(context),
        ("Ties", _TIES.get(str(made.ties), str(made.ties))),
        ("Computed by", "; ".join(how)),
        *([("Beside it", BESIDE)] if alone else []),
        *([("Advised", " ".join(made.advice.split("\n")[1:]))] if made.advice else []),
        ("Practically equivalent", rope),
        *settings_of_tests(context),
        ("Verdict", rule_of(context)),
    ]
    return Part("Model", facts=facts)


_QUANTITIES = {
    "wins": "how often a system wins; its mean stands beside",
    "mean": "the mean; how often a system wins stands beside",
}
_NO_ROPE = "none (0): no verdict is ever 'equivalent'"


def rule_of(context: ReportContext) -> str:
    """When there is a verdict, and how often by chance."""
    threshold = float(context.provenance.threshold or names.VERDICT_PROB)
    wrong = 1 - threshold
    return (
        f"when its posterior probability is at least {threshold:g}, else undecided; two equal "
        f"systems get one about {200 * wrong:.3g} times in 100 ({100 * wrong:.3g} for each side), "
        "and far more often where one looks again after every item and stops at a verdict"
    )


def model_of(context: ReportContext) -> str:
    """What the data are taken to be, and the prior."""
    prior = ", ".join(f"{p:g}" for p in context.provenance.prior or ())
    if context.provenance.prior is None and not advised(context.engine_names[0]):
        return _of_units(context)
    model = f"wins ~ Binomial(wins + losses, p), p ~ Beta({prior}); A is better when p > 1/2"
    if context.data.sizes[names.OUTCOME] == 3:
        model = (
            f"win, loss, tie ~ Multinomial(theta), theta ~ Dirichlet({prior}); A is better when "
            "theta_win > theta_loss"
        )
    model = ENGINES[context.engine_names[0]].model or model
    return model + "".join(ALSO[k] for k in (context.provenance.modelled or "").split(", ") if k)


def _of_units(context: ReportContext) -> str:
    """Of Student's t."""
    made = context.provenance
    what = {"wins": "wins less losses", "accuracy": "accuracy"}.get(str(made.quantity), "scores")
    units = counted(made.n_units, str(made.unit)) if made.n_units else "items"
    prior = f", under a normal prior of sd {made.prior_sd:g}" if made.prior_sd else ""
    return (
        f"the difference of the means ({what}, on {units}) ~ its estimate + its standard error x "
        f"Student's t{prior}; A is better when it favours A"
    )


def _whose_prior(context: ReportContext) -> list[tuple[str, str]]:
    """Of a prior that is not even, which system it favours."""
    prior = context.provenance.prior or (1.0, 1.0)
    if prior[0] == prior[1]:
        return []
    first = ", ".join(context.input_order[:_NAMED])
    told = f"its first number is for whichever system comes first in the data: {first}"
    return [("Prior is not even", told)]


def limits(context: ReportContext) -> list[str]:
    """What this comparison cannot say."""
    notes = [*(context.provenance.notes or ()), *_independence(context)]
    notes += _named_by_chance(context)
    notes.append(
        "Undecided means that these data do not settle the matter, not that the systems are equal."
    )
    if not context.rope:
        notes.append(
            "Better means better by any amount; with a rope, the words on a pair also say whether "
            "it is surely better by more than the rope."
        )
    else:
        notes.append(
            "Better means a difference above 0; where it is also sure to be above the rope, the "
            "words on the pair say so."
        )
    notes.append(
        "A probability speaks of new examples like these ones, not of examples of another kind."
    )
    return notes


def _independence(context: ReportContext) -> list[str]:
    if context.provenance.n_units is not None:
        tests = (
            "tests and Bayes factors count whole clusters, too."
            if context.provenance.tests_on
            else "tests compare the means of their runs."
        )
        units = f"{context.provenance.unit}s"
        return [f"The {units} are taken as independent, not the examples in them; {tests}"]
    if context.provenance.unit != "judgment":
        return [ENGINES[context.engine_names[0]].taken_as or EXAMPLES_INDEPENDENT]
    modelled = context.provenance.modelled or ""
    who = "on one prompt" if "judges" in modelled else "by one judge, or on one prompt,"
    notes = [
        f"Judgments are taken as independent; several {who} are not, and make the answers more "
        "certain than they should be."
    ]
    if "position" not in modelled:
        notes.append(
            "Which system was shown first is not taken into account; betterthan.models.davidson "
            "does, with judgments from betterthan.io.read_judgments and position=True."
        )
    return notes


def _named_by_chance(context: ReportContext) -> list[str]:
    """How often the rule names one of two equal systems."""
    threshold = context.provenance.threshold or names.VERDICT_PROB
    rate, stricter = 200 * (1 - threshold), (1 + threshold) / 2
    said = (
        f"A verdict on a pair by itself looks at one side: of two equal systems it names one in "
        f"about {rate:.2g}% of data sets, or {rate / 2:.2g}% with threshold={stricter:g}, and the "
        "two-sided interval of a decided pair may include 0."
    )
    if "among_verdict" in context.data and threshold >= names.VERDICT_PROB:
        said += (
            f" Among all systems: where {_SIMULATED} are equal, in at most "
            f"{100 * NAMED_AMONG_EQUAL:g}% of pairs (simulated)."
        )
    return [said]


# of pairs of equal systems, how many the joint answer names one of: see docs/calibration.md
NAMED_AMONG_EQUAL = 0.003
_SIMULATED = "10 or 20 systems"


def multiplicity(context: ReportContext) -> list[str]:
    """How many pairs were compared, how many of the verdicts are expected to be wrong, and whence
    the joint answer.
    """
    made = context.provenance
    if "prob_best" not in context.data:
        how = made.no_joint or "pairs alone do not say who is the best of all"
        return [_multiplicity(context.data), f"There is no joint answer here: {how}."]
    joint = ENGINES[str(made.joint_model)].joint
    drawn = {} if made.joint_kept is None else {"joint_drawn": 1 - made.joint_kept}
    return [_multiplicity(context.data), joint.format_map(made.to_attrs() | drawn)]


def _multiplicity(main: xr.Dataset) -> str:
    upper = np.triu_indices(main.sizes[names.SYSTEM_A], 1)
    verdict, error = (
        main[k].transpose(*names.SQUARE).values[upper] for k in ("verdict", "sign_error")
    )
    named = np.isin(verdict, ("a_better", "b_better"))
    wrong, given = np.nansum(error), int(named.sum())
    also = main["among_verdict"].values[upper] == verdict if "among_verdict" in main else None
    alone = in_one_unit(main)[upper]
    compared = int(((verdict != "no_data") | alone).sum())
    if alone.any() and alone.sum() == compared:
        one = unit_of(Signature.from_attrs(main.attrs))
        return f"Pairs compared: {compared:,}; there is no verdict on any, for each has one {one}."
    if (verdict == "no_verdict").all():
        reason = main["reason"].values[0, -1] if "reason" in main else names.NOT_CONVERGED
        return f"Pairs compared: {compared:,}; there is no verdict on any: {reason}."
    if not given:
        return f"Pairs compared: {compared:,}; no verdict names a better system."
    if also is None:
        return (
            f"Pairs compared: {compared:,}, of which {given:,} with a better system; by their own "
            f"probabilities {wrong:.2g} of these verdicts are expected to be wrong, which is far "
            "too few where many systems are similar. The best of many is partly the luckiest."
        )
    both = int((also & named).sum())
    return (
        f"Pairs compared: {compared:,}, of which {given:,} with a better system by themselves, "
        f"{both:,} also among all systems; among all, {wrong:.2g} of the {given:,} are expected to "
        "be wrong. The best of many is partly the luckiest."
    )
