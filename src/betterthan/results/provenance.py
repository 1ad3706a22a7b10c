"""How an answer was made, in one line."""

from typing import Any

import numpy as np

from betterthan import names
from betterthan.signed import Signature


def signature(answer: Any) -> str:
    """One line that says how an answer was made, to be pasted into a paper.

    Parameters
    ----------
    answer : Comparison or xarray.Dataset
        From `compare`, or any other function that compares systems.

    Returns
    -------
    str

    Raises
    ------
    ValueError
        If it is no answer of this package.

    Examples
    --------
    >>> import betterthan as bt
    >>> bt.signature(bt.compare(bt.datasets.contingency_case("a"))).split(" | ")[1]
    'prior=Dirichlet(1, 1, 1)'
    """
    data = getattr(answer, "data", answer)
    attrs = getattr(data, "attrs", {})
    sizes = getattr(data, "sizes", {})
    square = sizes.get(names.SYSTEM_A) == sizes.get(names.SYSTEM_B)
    if "version" not in attrs or not square:
        raise ValueError(
            f"answer is {type(answer).__name__}; give what betterthan.compare returns, or another "
            "comparison of systems"
        )
    made = Signature.from_attrs(attrs)
    parts = [f"betterthan {made.version}", *_choices(made), *_sizes(made, data.sizes)]
    if made.tests:
        parts.append(_tests(made))
    if made.seed is not None or made.chains:
        chains = f"{made.chains} x " if made.chains else ""
        library = f", {made.inference_library}" if made.inference_library else ""
        seed = "" if made.seed is None else f"seed={made.seed}, "
        parts.append(f"{seed}{chains}{made.draws} draws{library}")
    return " | ".join([*parts, *([f"data={made.data_hash}"] if made.data_hash else [])])


def _choices(made: Signature) -> list[str]:
    """The model and the choices."""
    model = ", ".join(filter(None, [made.model, made.modelled]))
    named = f" ({model})" if made.method == "advised" and model else ""
    choices = {
        "prior": _prior(made),
        "model": None if made.method else made.model,
        "method": made.method and made.method + named,
        "judged": made.modelled if made.answer == "judged" else None,
        "quantity": made.quantity,
        "statistic": made.statistic,
        "ties": made.ties,
        "missing": made.missing,
        "tool": made.tool,
        "metric": made.metric,
        "errors": made.errors,
        "unscored": made.unscored,
        "margin": None if made.margin is None else f"{np.asarray(made.margin).item():g}",
    }
    lines = [f"{name}={value}" for name, value in choices.items() if value]
    lines += ["lower is better"] if made.higher_is_better is False else []
    lines += [] if made.rope is None else [f"rope={np.asarray(made.rope).item():g}"]
    if made.ci_prob is not None:
        lines.append(f"interval={100 * made.ci_prob:g}% {str(made.ci_kind or 'eti').upper()}")
    return lines + ([f"verdict at {made.threshold:g}"] if made.threshold is not None else [])


def _sizes(made: Signature, sizes: Any) -> list[str]:
    n = [] if made.n_items is None else [f"n={made.n_items if made.n_items >= 0 else 'by pair'}"]
    if made.n_units is not None:
        worth = f", worth {made.n_effective:.3g}" if made.n_effective else ""
        once = ", each once" if made.weight == "unit" else ""
        n += [f"units={made.n_units} {made.unit}s{worth}{once}"]
    systems = next((sizes[d] for d in (names.SYSTEM_A, names.SYSTEM) if d in sizes), None)
    return n + ([] if systems is None else [f"systems={systems}"])


def _prior(made: Signature) -> str | None:
    if made.prior_sd:
        return f"normal(0, {made.prior_sd:g}) of a difference"
    if made.model in (names.ADOPTED, names.STUDENT_T):
        return None
    if made.prior_text:
        return made.prior_text
    if made.prior is None or made.model in OWN_PRIOR:
        return "zero" if made.model in _WITHOUT else f"that of {made.model}" if made.model else None
    numbers = ", ".join(f"{p:g}" for p in made.prior)
    return f"{'Dirichlet' if len(made.prior) == 3 else 'Beta'}({numbers})"


_WITHOUT = ("bayesian_bootstrap", "jackknife")
# models of which the numbers on record are no Dirichlet or Beta prior of outcomes
OWN_PRIOR = (
    *("davidson", "item_response", "graded"),
    *("mallows", "performance_function", "subject_slopes"),
)


def _tests(made: Signature) -> str:
    on = f" on {made.tests_on}" if made.tests_on else ""
    tests = f"tests={', '.join(made.tests or ())}{on}"
    tests += f" (two-sided, at {made.alpha:g}, {made.correction})"
    if made.randomization_method:
        tests += f", {made.randomization_statistic} by {made.randomization_method}"
    return tests + (
        f", {made.shuffles} shuffles, seed {made.shuffle_seed}" if made.shuffles else ""
    )
