"""The sections on data and model: what was compared, and how."""

import numpy as np

from betterthan import names
from betterthan.io.problems import counted
from betterthan.results.context import Shown
from betterthan.results.diagnostics import computed_by
from betterthan.results.document import Part
from betterthan.results.engines import ALSO, BESIDE, ENGINES, advised
from betterthan.results.significance_tables import settings_of_tests

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
