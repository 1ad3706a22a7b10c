"""The methods of a comparison: data, model, tests, computation, and limits."""

from dataclasses import dataclass

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.io.problems import counted
from betterthan.model_registry import BOOTSTRAP, ROSTER
from betterthan.results.context import Shown
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


def diagnostics_part(shown: Shown) -> Part:
    """Sampler, convergence, and the distance from the closed form where both were computed."""
    made, beside = shown.made, sampled_beside(shown)
    if made.rhat_max is not None:
        return Part("Diagnostics", [*_of_chains(shown), *_against_closed_form(shown), *beside])
    if made.pareto_k is not None:
        return Part("Diagnostics", facts=[*_of_weights(shown), *beside])
    if made.draws is not None:
        drawn = ("Draws", f"{made.draws:,}, independent, seed {made.seed}")
        return Part("Diagnostics", facts=[drawn, *beside])
    nothing = "nothing was sampled, so there is nothing to diagnose"
    if beside:
        nothing = (
            "pairs were not sampled; what was are independent draws, ± their Monte Carlo error"
        )
    return Part("Diagnostics", facts=[("Closed form", nothing), *beside])


def sampled_beside(shown: Shown) -> list[tuple[str, str]]:
    """What was sampled beside the answers on pairs, and in how many draws."""
    made, whole, found = shown.made, shown.whole, []
    if made.joint_model == names.AMONG_ALL and "prob_best" in whole:
        draws = f"{made.joint_draws:,} draws of the joint posterior, seed {made.joint_seed}"
        found.append(("P(best) and ranks", draws))
    if made.randomization_method == "monte_carlo":
        shuffled = f"{made.shuffles:,} random permutations, seed {made.shuffle_seed}"
        found.append(("Randomization p", shuffled))
    return found


def computed_by(shown: Shown, engine: str, how_well: str = "") -> str:
    """How an engine computes, and how well; what beside a closed form was sampled all the same."""
    how = ENGINES[engine].how if engine in ENGINES else engine
    if engine != "exact":
        return f"{how}{how_well}"
    beside = [f"; {what} from {draws}" for what, draws in sampled_beside(shown)]
    return "".join([how, " on pairs" if beside else "", how_well, *beside])


def _of_weights(shown: Shown) -> list[tuple[str, str]]:
    made = shown.made
    number = (made.chains or 1) * (made.draws or 0)
    failed = f"FAILED, so no verdict is given: {' '.join(made.failures or ())}"
    return [
        ("Draws", f"{made.inference_library}, {number:,} draws, seed {made.seed}"),
        ("k-hat of the weights", f"{made.pareto_k:.2f} (limit {names.PARETO_K_MAX:g})"),
        ("Worth of the weighted draws", f"{made.ess_min:.0f} (limit {names.ESS_MIN})"),
        ("Checks of the weights", failed if made.failures else "passed"),
    ]


def _of_chains(shown: Shown) -> list[tuple[str, str]]:
    made = shown.made
    chains = f"{made.chains} chains of {made.draws} draws, seed {made.seed}"
    failed = f"FAILED, so no verdict is given: {' '.join(made.failures or ())}"
    return [
        ("Sampler", f"{made.inference_library}, {chains}"),
        ("Worst R-hat", f"{made.rhat_max:.3f} (limit {names.RHAT_MAX:g})"),
        ("Smallest effective sample size", f"{made.ess_min:.0f} (limit {names.ESS_MIN})"),
        ("Divergences", f"{made.divergences}"),
        ("Convergence checks", failed if made.failures else "passed"),
    ]


def _against_closed_form(shown: Shown) -> list[tuple[str, str]]:
    if "z" not in shown.engines:
        return []
    worst = float(np.nanmax(np.abs(shown.engines["z"].values)))
    told = f"largest distance {worst:.1f} Monte Carlo standard errors"
    return [("Against the closed form", told)]


_SIGN_TIES = {"drop": "ties dropped", "half": "ties split half and half"}


def tests_of(comparison: xr.Dataset) -> list[str]:
    """The tests a comparison holds; none in one that was made without."""
    return [str(t) for t in comparison[names.TEST].values] if names.TEST in comparison.dims else []


def settings_of_tests(shown: Shown) -> list[tuple[str, str]]:
    """How the tests were done, for the list of settings."""
    on = f" on {shown.made.tests_on}" if shown.made.tests_on else ""
    said = [_test_in_words(test, shown.made) + on for test in tests_of(shown.whole)]
    told = f"two-sided, at {shown.made.alpha:g}: {'; '.join(said)}" if said else ""
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


def data_part(shown: Shown) -> Part:
    """Whence the data are, and how many."""
    made = shown.made
    facts = [("Source", made.reading or made.source or _given(shown))]
    if made.citation:
        facts.append(("Published in", made.citation))
    facts += _sizes(shown)
    if made.datasets:
        facts.append(("Examples of each data set", made.datasets))
    if "n_dropped" in shown.whole:
        facts.append(("Missing scores", _missing(shown)))
        facts.append(("Better scores are", "higher" if made.higher_is_better else "LOWER"))
    if made.margin:
        facts.append(("A tie is", f"a score difference of at most {made.margin:g}"))
    return Part("Data", facts=facts)


def _given(shown: Shown) -> str:
    """What was given, where nothing says whence it was read."""
    if "n_dropped" in shown.whole:
        return "scores given"
    return "judgments given" if shown.made.unit == "judgment" else "counts given"


def _sizes(shown: Shown) -> list[tuple[str, str]]:
    made, n = shown.made, _of_pairs(shown, "n")
    what = "judgments" if made.unit == "judgment" else "examples"
    what = f"discordant {what}" if shown.whole.sizes[names.OUTCOME] == 2 else what
    pairs = f", in {n.size} pairs" if shown.many else ""
    counted = f"{n.min():,}" if n.min() == n.max() else f"{n.min():,} to {n.max():,}"
    facts = [
        ("Systems", f"{len(shown.systems)}{pairs}"),
        (f"Counted {what} per pair", counted),
    ]
    known = made.n_items is not None and made.n_items >= 0
    return facts + ([("Examples in all", f"{made.n_items:,}")] if known else [])


def _missing(shown: Shown) -> str:
    made = shown.made
    if not made.n_blank:
        return "none"
    if made.missing == "wrong":
        return f"{made.n_blank:,}, each counted as the worst score (missing=wrong)"
    dropped = _of_pairs(shown, "n_dropped")
    low, high = int(dropped.min()), int(dropped.max())
    left = f"{low:,}" if low == high else f"{low:,} to {high:,}, depending on the pair,"
    return (
        f"{made.n_blank:,}; left out: {left} of {made.n_items:,} examples (missing={made.missing})"
    )


def _of_pairs(shown: Shown, name: str) -> np.ndarray:
    """What is known of every pair, each once."""
    return shown.whole[name].values[np.triu_indices(len(shown.systems), 1)]


def model_part(shown: Shown) -> Part:
    """What the answer assumes, and by what rule there is a verdict."""
    made, engines = shown.made, shown.engine_names
    alone = advised(engines[0])
    how = [computed_by(shown, engine) for engine in (engines[:1] if alone else engines)]
    rope = f"at most {shown.rope:g} apart" if shown.rope else _NO_ROPE
    facts = [
        *([("Decided by", _QUANTITIES[str(made.quantity)])] if made.beside_quantity else []),
        ("Model", model_of(shown)),
        *_whose_prior(shown),
        ("Ties", _TIES.get(str(made.ties), str(made.ties))),
        ("Computed by", "; ".join(how)),
        *([("Beside it", BESIDE)] if alone else []),
        *([("Advised", " ".join(made.advice.split("\n")[1:]))] if made.advice else []),
        ("Practically equivalent", rope),
        *settings_of_tests(shown),
        ("Verdict", rule_of(shown)),
    ]
    return Part("Model", facts=facts)


_QUANTITIES = {
    "wins": "how often a system wins; its mean stands beside",
    "mean": "the mean; how often a system wins stands beside",
}
_NO_ROPE = "none (0): no verdict is ever 'equivalent'"


def rule_of(shown: Shown) -> str:
    """When there is a verdict, and how often by chance."""
    threshold = float(shown.made.threshold or names.VERDICT_PROB)
    wrong = 1 - threshold
    return (
        f"when its posterior probability is at least {threshold:g}, else undecided; two equal "
        f"systems get one about {200 * wrong:.3g} times in 100 ({100 * wrong:.3g} for each side), "
        "and far more often where one looks again after every item and stops at a verdict"
    )


def model_of(shown: Shown) -> str:
    """What the data are taken to be, and the prior."""
    prior = ", ".join(f"{p:g}" for p in shown.made.prior or ())
    if shown.made.prior is None and not advised(shown.engine_names[0]):
        return _of_units(shown)
    model = f"wins ~ Binomial(wins + losses, p), p ~ Beta({prior}); A is better when p > 1/2"
    if shown.whole.sizes[names.OUTCOME] == 3:
        model = (
            f"win, loss, tie ~ Multinomial(theta), theta ~ Dirichlet({prior}); A is better when "
            "theta_win > theta_loss"
        )
    model = ENGINES[shown.engine_names[0]].model or model
    return model + "".join(ALSO[k] for k in (shown.made.modelled or "").split(", ") if k)


def _of_units(shown: Shown) -> str:
    """Of Student's t."""
    made = shown.made
    what = {"wins": "wins less losses", "accuracy": "accuracy"}.get(str(made.quantity), "scores")
    units = counted(made.n_units, str(made.unit)) if made.n_units else "items"
    prior = f", under a normal prior of sd {made.prior_sd:g}" if made.prior_sd else ""
    return (
        f"the difference of the means ({what}, on {units}) ~ its estimate + its standard error x "
        f"Student's t{prior}; A is better when it favours A"
    )


def _whose_prior(shown: Shown) -> list[tuple[str, str]]:
    """Of a prior that is not even, which system it favours."""
    prior = shown.made.prior or (1.0, 1.0)
    if prior[0] == prior[1]:
        return []
    first = ", ".join(shown.given[:_NAMED])
    told = f"its first number is for whichever system comes first in the data: {first}"
    return [("Prior is not even", told)]


def limits(shown: Shown) -> list[str]:
    """What this comparison cannot say."""
    notes = [*(shown.made.notes or ()), *_independence(shown)]
    notes += _named_by_chance(shown)
    notes.append(
        "Undecided means that these data do not settle the matter, not that the systems are equal."
    )
    if not shown.rope:
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


def _independence(shown: Shown) -> list[str]:
    if shown.made.n_units is not None:
        tests = (
            "tests and Bayes factors count whole clusters, too."
            if shown.made.tests_on
            else "tests compare the means of their runs."
        )
        return [
            f"The {shown.made.unit}s are taken as independent, not the examples in them; {tests}"
        ]
    if shown.made.unit != "judgment":
        return [ENGINES[shown.engine_names[0]].taken_as or EXAMPLES_INDEPENDENT]
    modelled = shown.made.modelled or ""
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


def _named_by_chance(shown: Shown) -> list[str]:
    """How often the rule names one of two equal systems."""
    threshold = shown.made.threshold or names.VERDICT_PROB
    rate, stricter = 200 * (1 - threshold), (1 + threshold) / 2
    said = (
        f"A verdict on a pair by itself looks at one side: of two equal systems it names one in "
        f"about {rate:.2g}% of data sets, or {rate / 2:.2g}% with threshold={stricter:g}, and the "
        "two-sided interval of a decided pair may include 0."
    )
    if "among_verdict" in shown.whole and threshold >= names.VERDICT_PROB:
        said += (
            f" Among all systems: where {_SIMULATED} are equal, in at most "
            f"{100 * NAMED_AMONG_EQUAL:g}% of pairs (simulated)."
        )
    return [said]


# of pairs of equal systems, how many the joint answer names one of: see docs/calibration.md
NAMED_AMONG_EQUAL = 0.003
_SIMULATED = "10 or 20 systems"


def multiplicity(shown: Shown) -> list[str]:
    """How many pairs were compared, how many of the verdicts are expected to be wrong, and whence
    the joint answer.
    """
    made = shown.made
    if "prob_best" not in shown.whole:
        how = made.no_joint or "pairs alone do not say who is the best of all"
        return [_multiplicity(shown.whole), f"There is no joint answer here: {how}."]
    joint = ENGINES[str(made.joint_model)].joint
    drawn = {} if made.joint_kept is None else {"joint_drawn": 1 - made.joint_kept}
    return [_multiplicity(shown.whole), joint.format_map(made.to_attrs() | drawn)]


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
