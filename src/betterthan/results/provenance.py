"""How an answer was made, in one line."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from betterthan import names
from betterthan.signed import Signature


def signature(answer: Any) -> str:
    """Return the provenance line of a result: every choice in one line, for a paper.

    Parameters
    ----------
    answer : Comparison or xarray.Dataset
        Result of `compare`, or of any other function that compares systems.

    Returns
    -------
    str
        One line of text.

    Raises
    ------
    ValueError
        If `answer` is not a result of this package.

    Examples
    --------
    >>> import betterthan as bt
    >>> bt.signature(bt.compare(bt.datasets.contingency_case("a"))).split(" | ")[1]
    'prior=Dirichlet(1, 1, 1)'
    """
    data = getattr(answer, "data", answer)
    attrs = getattr(data, "attrs", {})
    sizes = getattr(data, "sizes", {})
    if "version" not in attrs or sizes.get(names.SYSTEM_A) != sizes.get(names.SYSTEM_B):
        raise ValueError(
            f"answer is {type(answer).__name__}; give what betterthan.compare returns, or another "
            "comparison of systems"
        )
    provenance = Signature.from_attrs(attrs)
    parts = [
        f"betterthan {provenance.version}",
        *_choices(provenance),
        *_more_choices(attrs),
        *_sizes(provenance, data.sizes),
    ]
    if provenance.tests:
        parts.append(_tests(provenance))
    if provenance.seed is not None or provenance.chains:
        chains = f"{provenance.chains} x " if provenance.chains else ""
        library = f", {provenance.inference_library}" if provenance.inference_library else ""
        seed = "" if provenance.seed is None else f"seed={provenance.seed}, "
        parts.append(f"{seed}{chains}{provenance.draws} draws{library}")
    return " | ".join([*parts, *([f"data={provenance.data_hash}"] if provenance.data_hash else [])])


def _choices(provenance: Signature) -> list[str]:
    """The model and the choices."""
    model = ", ".join(filter(None, [provenance.model, provenance.modelled]))
    seed = f", seed {provenance.joint_seed}" if provenance.joint_seed else ""  # 0 is the default
    named = f" ({model})" if provenance.method == "advised" and model else ""
    choices = {
        "prior": _prior(provenance),
        "model": None if provenance.method else provenance.model,
        "method": provenance.method and provenance.method + named,
        "judged": provenance.modelled if provenance.answer == "judged" else None,
        "joint": f"partial pooling{seed}" if provenance.joint_model == names.AMONG_ALL else None,
        **{name: getattr(provenance, name) for name in ("over", "quantity", "statistic")},
        "test_share": provenance.test_share and f"{provenance.test_share:g}",
        **{name: getattr(provenance, name) for name in _AS_RECORDED},
        "margin": None
        if provenance.margin is None
        else f"{np.asarray(provenance.margin).item():g}",
    }
    lines = [f"{name}={value}" for name, value in choices.items() if value]
    lines += ["lower is better"] if provenance.higher_is_better is False else []
    lines += [] if provenance.rope is None else [f"rope={np.asarray(provenance.rope).item():g}"]
    if provenance.ci_prob is not None:
        kind = str(provenance.ci_kind or "eti").upper()
        lines.append(f"interval={100 * provenance.ci_prob:g}% {kind}")
    if provenance.threshold is not None:
        lines.append(f"verdict at {provenance.threshold:g}")
    return lines


def _more_choices(attrs: Mapping[str, Any]) -> Iterator[str]:
    """Of tests, posteriors of scores and of orders, and bounds: what is not the default."""
    if attrs.get("alternative", "two-sided") != "two-sided":
        yield f"alternative={attrs['alternative']}"
    if "beta" in attrs and attrs.get("statistic") == "f_beta":
        yield f"beta={attrs['beta']:g}"
    if attrs.get("references", "mean") != "mean":
        yield f"references={attrs['references']}"
    if "limits" in attrs:
        yield f"limits={', '.join(f'{limit:g}' for limit in attrs['limits'])}"
    if attrs.get("unit") == "cluster" and not {"n_units", "model"} & attrs.keys():
        yield "unit=cluster"


_AS_RECORDED = ("weights", "ties", "missing", "tool", "metric", "errors", "unscored")


def _sizes(provenance: Signature, sizes: Any) -> list[str]:
    n = []
    if provenance.n_items is not None:
        n += [f"n={provenance.n_items if provenance.n_items >= 0 else 'by pair'}"]
    if provenance.n_units is not None:
        worth = f", worth {provenance.n_effective:.3g}" if provenance.n_effective else ""
        once = ", each once" if provenance.weight == "unit" else ""
        n += [f"units={provenance.n_units} {provenance.unit}s{worth}{once}"]
    systems = next((sizes[d] for d in (names.SYSTEM_A, names.SYSTEM) if d in sizes), None)
    return n + ([] if systems is None else [f"systems={systems}"])


def _prior(provenance: Signature) -> str | None:
    if provenance.prior_sd:
        return f"normal(0, {provenance.prior_sd:g}) of a difference"
    if provenance.model == names.STUDENT_T:
        return None
    if provenance.prior_text or provenance.model == names.ADOPTED:
        return provenance.prior_text
    if provenance.prior is None or provenance.model in OWN_PRIOR:
        own = f"that of {provenance.model}" if provenance.model else None
        return "zero" if provenance.model in _WITHOUT else own
    numbers = ", ".join(f"{p:g}" for p in provenance.prior)
    return f"{'Dirichlet' if len(provenance.prior) == 3 else 'Beta'}({numbers})"


_WITHOUT = ("bayesian_bootstrap", "jackknife")
# models of which the numbers on record are no Dirichlet or Beta prior of outcomes
OWN_PRIOR = (
    *("davidson", "item_response", "graded", "repeated"),
    *("mallows", "performance_function", "subject_slopes"),
)


def _tests(provenance: Signature) -> str:
    on = f" on {provenance.tests_on}" if provenance.tests_on else ""
    tests = f"tests={', '.join(provenance.tests or ())}{on}"
    tests += f" (two-sided, at {provenance.alpha:g}, {provenance.correction})"
    if provenance.randomization_method:
        tests += f", {provenance.randomization_statistic} by {provenance.randomization_method}"
    if provenance.shuffles:
        tests += f", {provenance.shuffles} permutations, seed {provenance.shuffle_seed}"
    return tests
