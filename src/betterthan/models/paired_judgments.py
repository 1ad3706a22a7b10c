"""Paired judgments: how often two systems tie, and abilities where judgments belong together.

Davidson: win : loss : tie = exp(d / 2) : exp(-d / 2) : exp(tie). Rao-Kupper: a judge sees a
difference only above the threshold exp(tie). Judgments that belong together are of one prompt, one
ranking, or one sentence.
"""

from dataclasses import asdict
from typing import Any

import numpy as np
import xarray as xr

from betterthan import checks, names
from betterthan.counts.judgments import rows_by_cluster
from betterthan.exact.numeric.monte_carlo import one_seed
from betterthan.exact.wins import davidson
from betterthan.exact.wins.davidson import Meetings, Prior, Weighed
from betterthan.models import shrinkage
from betterthan.posterior import table
from betterthan.posterior.table import Question
from betterthan.results.comparison import Comparison
from betterthan.signed import provenance_attrs

TIE_MODELS = ("davidson", "rao_kupper")
# mean and standard deviation of the normal prior of the tie parameter
PRIOR = {"davidson": (-0.7, 1.5), "rao_kupper": (-0.7, 1.0)}


def log_chances(d: Any, tie: Any, tie_model: str) -> Any:
    """Log P(win, loss, tie), stacked last, of a difference of abilities, as a tensor."""
    import pytensor.tensor as pt

    from betterthan.libraries import pm

    if tie_model == "davidson":
        logits: Any = pt.stack([d / 2, -d / 2, tie], axis=-1)
        return logits - pm.math.logsumexp(logits, axis=-1, keepdims=True)
    threshold: Any = pt.exp(tie)
    # P(tie) = s(d + t) - s(d - t) = s(d + t) s(t - d) (1 - exp(-2 t)), s the logistic function
    beyond: list[Any] = [pt.softplus(threshold - d), pt.softplus(threshold + d)]
    within: list[Any] = [pt.softplus(-threshold - d), pt.softplus(d - threshold)]
    width: Any = -2 * threshold
    nearly: Any = pt.expm1(width)
    log: Any = pt.log(-nearly)
    tied: Any = log - within[0] - within[1]
    return pt.stack([-beyond[0], -beyond[1], tied], axis=-1)


def log_probabilities(d: np.ndarray, tie: np.ndarray, tie_model: str) -> np.ndarray:
    """Log probabilities of win, loss and tie, of numbers."""
    from scipy import special

    if tie_model == "davidson":
        logits = np.stack([d / 2, -d / 2, tie + 0 * d], axis=-1)
        return logits - np.asarray(special.logsumexp(logits, axis=-1, keepdims=True))
    win, loss = (special.log_expit(x - np.exp(tie)) for x in (d, -d))
    return np.stack([win, loss, np.log1p(-np.exp(win) - np.exp(loss))], axis=-1)


def probabilities(d: np.ndarray, tie: np.ndarray, tie_model: str) -> tuple[np.ndarray, np.ndarray]:
    """P(win) and P(loss), of numbers."""
    if tie_model == "rao_kupper":
        from scipy import special

        free = np.exp(tie)
        return special.expit(d - free), special.expit(-d - free)
    top = np.maximum(np.abs(d) / 2, tie)  # of the logits: nothing overflows
    won, lost = np.exp(d / 2 - top), np.exp(-d / 2 - top)
    total = won + lost + np.exp(tie - top)
    return won / total, lost / total


def ahead(x: np.ndarray, y: np.ndarray, tie: np.ndarray, tie_model: str) -> np.ndarray:
    """P(win) - P(loss) of a judgment without advantage of place, of two abilities."""
    if tie_model == "rao_kupper":
        win, loss = probabilities(x - y, tie, tie_model)
        return win - loss
    d = np.abs(x - y)
    top = np.maximum(d / 2, tie)  # of the logits: nothing overflows
    won = np.exp(d / 2 - top)
    gap = np.sign(x - y) * won * -np.expm1(-d)
    return gap / (won * (1 + np.exp(-d)) + np.exp(tie - top))


def propensity(tie: Any, tie_model: str) -> Any:
    """The probability that equal systems tie."""
    return np.tanh(np.exp(tie) / 2) if tie_model == "rao_kupper" else 1 / (1 + 2 * np.exp(-tie))


PLACE = (0.0, 1.5)  # mean and standard deviation of the advantage of the system shown first
_FEW = 5  # clusters of a system below which its error bar is a guess


def by_cluster(
    judgments: xr.Dataset,
    *,
    by: str = "cluster",
    position: bool = False,
    rope: float = names.ROPE,
    ci_prob: float = names.CI_PROB,
    ci_kind: str = names.CI_KIND,
    threshold: float = names.VERDICT_PROB,
    draws: int = names.BOOTSTRAP_DRAWS,
    rng: Any = None,
) -> Comparison:
    """Compare systems from clustered judgments, with clusters as the unit of analysis.

    Davidson's model is fitted again for each draw, by Newton's method, to judgments whose clusters
    have random weights. The uncertainty is then that of the clusters, not of single judgments.

    Parameters
    ----------
    judgments : xarray.Dataset
        Judgments from `betterthan.io.read_judgments` with ``cluster="name of its column"``.
    by : {"cluster", "judge"}, default "cluster"
        Unit of analysis; there must be two or more.
    position : bool, default False
        Whether to estimate an advantage of the system shown first.
    rope, ci_prob, ci_kind, threshold
        See `betterthan.fits.compare`; the difference is P(win) - P(loss) of the next judgment.
    draws : int, default 4,000
        Number of posterior draws.
    rng : int, numpy.random.Generator or None
        Seed, which the result records.

    Returns
    -------
    Comparison
        Over (system_a, system_b), the variables of `betterthan.fits.compare` for a fit of
        ``davidson``. Over system: ``ability`` with ``lower`` and ``upper``, ``prob_best``,
        ``expected_rank``, ``in_best_set``, ``tied_with_top``; ``n_clusters``; and
        ``design_effect``, the variance of its ability relative to as many independent judgments. A
        pair with a system in only one cluster has ``no_data``.

    Raises
    ------
    ValueError
        If the data are not judgments with clusters, all have the same cluster, systems are not
        connected, or an argument is not valid.

    Warns
    -----
    UserWarning
        If a system is judged in fewer than 5 clusters.

    Examples
    --------
    >>> from betterthan.models import davidson
    >>> data = davidson.simulate(4, judgments=300, judges=20, rng=1)
    >>> comparison = davidson.by_cluster(data, by="judge", draws=500, rng=1)
    >>> comparison["n_clusters"].values.tolist()
    [20, 20, 20, 20]
    """
    question = Question.checked(rope, ci_prob, ci_kind, threshold)
    number, seed = checks.whole(draws, "draws", least=2), one_seed(rng)
    rows, counts = rows_by_cluster(judgments, by=by, position=position)
    meet = Meetings(rows.a, rows.b, len(rows.systems), place=bool(position))
    prior = Prior(shrinkage.SHAPE, shrinkage.RATE, PRIOR["davidson"], PLACE)
    weighed = davidson.weighed(counts, meet, prior, number, seed)
    cluster, cell = counts.nonzero()
    present = np.zeros((int(cluster.max()) + 1, len(rows.systems)), dtype=bool)
    for side in (rows.a, rows.b):
        present[cluster, side[cell % len(rows.a)]] = True
    clusters = present.sum(0)
    _warn_few(rows.systems, clusters, by)
    answers = _answers(weighed, rows.systems, clusters, question)
    settings = asdict(question) | {"unit": by, "seed": seed, "draws": number}
    attrs: dict[str, Any] = {"position": int(position), "design_effect": weighed.overall}
    attrs |= {"n_judgments": int(rows.counts.sum()), "n_clusters": weighed.clusters}
    return Comparison(answers.assign_attrs(_signed(prior, position, settings) | attrs))


def _signed(prior: Prior, position: bool, settings: dict[str, Any]) -> dict[str, Any]:
    """Provenance of the answer."""
    return provenance_attrs(
        answer="pairs",
        model="davidson_by_cluster",
        modelled="position" if position else None,
        prior=(prior.shape, prior.rate, *prior.tie),
        **settings,
    )


def _answers(
    weighed: Weighed, systems: list[str], clusters: np.ndarray, question: Question
) -> xr.Dataset:
    """Pairs and systems, from independent draws: one chain."""
    ability = weighed.draws[None, :, : len(systems)]
    tie = weighed.draws[None, :, len(systems), None]
    answers = table.of_joint_draws(
        ability,
        systems,
        question,
        independent=True,
        differences_of=lambda x, y: ahead(x, y, tie, "davidson"),
    )
    least = np.minimum(clusters[:, None], clusters)
    shared = answers["prob_better"].copy(data=np.where(least > 1, least, 0))
    answers = table.with_verdicts(answers, question, n=shared)
    ranks = table.of_systems(ability, systems, ci_prob=question.ci_prob, independent=True)
    answers = answers.merge(ranks, join="exact")
    answers = answers.assign(table.by_system("ability", ability, question, independent=True))
    top = int(answers["ability"].values.argmax())
    behind = answers["verdict"].values[top] == "a_better"
    extra = {
        "tied_with_top": ~behind,
        "n_clusters": clusters,
        "design_effect": weighed.design_effect,
    }
    return answers.assign({key: (names.SYSTEM, values) for key, values in extra.items()})


def _warn_few(systems: list[str], clusters: np.ndarray, by: str) -> None:
    few = np.flatnonzero(clusters < _FEW)
    if len(few):
        more = f" and {len(few) - 1} more" if len(few) > 1 else ""
        checks.warn(
            f"the uncertainty of {systems[few[0]]!r}{more} is little more than a guess: judged in "
            f"{int(clusters[few[0]])} of {by}, fewer than {_FEW}"
        )
