"""All systems at once by their abilities: pairs, ranks, and who is tied with the top."""

import warnings
from collections.abc import Callable

import numpy as np
import xarray as xr
from scipy import special

from betterthan import names
from betterthan.exact.numeric import weights
from betterthan.exact.wins import triads
from betterthan.fits.pairs import choices, judged, of_model, signed
from betterthan.models import tie_models
from betterthan.posterior.joint_draws import effective, mean_error, pairs_of_draws, share_error
from betterthan.posterior.verdicts import decide

_REPLICATIONS = 1000


def compare_abilities(
    tree: xr.DataTree,
    *,
    rope: float = names.ROPE,
    ci_prob: float = names.CI_PROB,
    ci_kind: str = names.CI_KIND,
) -> xr.Dataset:
    """All systems jointly, from a fit of the Davidson or the item response model; see
    `fits.compare`.
    """
    posterior = of_model(tree, "davidson", "item_response")
    model = posterior.attrs["model"]
    rope, ci_prob, ci_kind = choices(rope, ci_prob, ci_kind)
    samples = (posterior.sizes["chain"], posterior.sizes["draw"])
    told = "expected_score" if model == "item_response" else "ability"
    draws = posterior[told].transpose("chain", "draw", names.SYSTEM).values
    flat = draws.reshape(-1, draws.shape[-1])
    systems = [str(s) for s in posterior[names.SYSTEM].values]
    constant = tree["constant_data"].to_dataset()
    _warn_separated(constant, systems)
    diagnosis = judged(tree)
    apart = None if model == "item_response" else _judged_apart(posterior)
    table = pairs_of_draws(
        flat, flat, rope, ci_prob, ci_kind, lambda d: effective(d, samples), apart
    )
    verdict, ahead = decide(
        table["prob_better"], table["prob_better"].T, table["mass"][..., 1], rope
    )
    itself = np.eye(len(systems), dtype=bool)
    table["verdict"] = verdict if diagnosis.passed else np.where(itself, verdict, "no_verdict")
    table["also_ahead"] = ahead & diagnosis.passed
    of_system, ranks = _by_system(posterior, draws, constant, ci_prob, ci_kind)
    top = int(np.argmax(of_system["ability"]))
    of_system["tied_with_top"] = ~(table["prob_better"][top] >= names.VERDICT_PROB)
    result = xr.Dataset(
        {
            name: ((*names.SQUARE, names.REGION) if v.ndim == 3 else names.SQUARE, v)
            for name, v in table.items()
        }
        | {name: (names.SYSTEM, v) for name, v in of_system.items()}
        | {"prob_rank": ((names.SYSTEM, "rank"), ranks)},
        coords=dict.fromkeys((*names.SQUARE, names.SYSTEM), systems)
        | {names.REGION: list(names.REGIONS), "rank": np.arange(1, len(systems) + 1)},
    )
    if model == "davidson":
        result["expected"] = ((*names.SQUARE, names.OUTCOME), _next_judgment(posterior, flat))
        result = result.assign_coords({names.OUTCOME: list(names.OUTCOMES)})
    asked = {k: int(posterior.attrs[k]) for k in ("position", "judges") if k in posterior.attrs}
    return result.assign_attrs(signed(posterior, diagnosis, rope, ci_prob, ci_kind) | asked)


def transitivity(tree: xr.DataTree) -> xr.Dataset:
    """Check that one ability a system is enough: do judgments go round in circles more than the
    model expects?

    Parameters
    ----------
    tree : xarray.DataTree
        From ``betterthan.models.davidson.fit`` with its predictive groups.

    Returns
    -------
    xarray.Dataset
        Over check: ``observed``, ``expected`` and ``p_value``, the share of replications with as
        much or more. Checks are ``circular_triads`` (A mostly beats B, B beats C, C beats A) and
        ``misfit``, the squared distances of wins less losses from what each draw expects, over
        their variances, summed over rows.

    Raises
    ------
    ValueError
        If the tree is of another model, or has no replications.

    Examples
    --------
    >>> import betterthan as bt
    >>> tree = bt.models.davidson.fit(bt.models.davidson.simulate(5, judgments=300, rng=2), rng=1)
    >>> bool(bt.fits.transitivity(tree)["p_value"].min() > 0.01)
    True
    """
    posterior = of_model(tree, "davidson")
    if "posterior_predictive" not in tree.children:
        raise ValueError("the fit has no replications; fit with predictive=True")
    constant = tree["constant_data"].to_dataset()
    again = (
        tree["posterior_predictive"]
        .to_dataset()["y"]
        .transpose("chain", "draw", "row", names.OUTCOME)
        .values
    )
    again = again.reshape(-1, *again.shape[2:])
    step = max(1, len(again) // _REPLICATIONS)
    again = again[::step]
    a, b, k = constant["a"].values, constant["b"].values, posterior.sizes[names.SYSTEM]
    counts = constant["counts"].values
    circles = [triads.circular(triads.net_wins(x, a, b, k)) for x in (counts[None], again)]
    chances = np.exp(_chances(posterior, constant))[::step]
    misfit = [_misfit(x, chances) for x in (counts, again)]
    rows = [(circles[0], circles[1]), (misfit[0], misfit[1])]
    return xr.Dataset(
        {
            "observed": ("check", [float(o.mean()) for o, _ in rows]),
            "expected": ("check", [float(r.mean()) for _, r in rows]),
            "p_value": ("check", [float((r >= o - 1e-9).mean()) for o, r in rows]),
        },
        coords={"check": ["circular_triads", "misfit"]},
        attrs={"replications": len(again)},
    )


def _chances(posterior: xr.Dataset, constant: xr.Dataset) -> np.ndarray:
    """Log probabilities of win, loss and tie of every row, (draw, row, outcome), in each draw."""
    flat = posterior.stack(_draw=("chain", "draw")).transpose("_draw", ...)
    ability = flat["ability"].transpose("_draw", names.SYSTEM).values
    d = ability[:, constant["a"].values] - ability[:, constant["b"].values]
    tie = np.broadcast_to(flat["tie"].values[:, None], d.shape)
    if "position" in flat:
        d = d + flat["position"].values[:, None]
    for name in ("judge_tie", "judge_position"):
        if f"{name}_effect" not in flat:
            continue
        effect = (
            flat[f"{name}_effect"]
            .transpose("_draw", "judge")
            .values[:, constant["judge_of"].values]
        )
        d, tie = (d, tie + effect) if name == "judge_tie" else (d + effect, tie)
    return tie_models.log_chances_of(d, tie, str(posterior.attrs["tie_model"]))


def _misfit(counts: np.ndarray, chances: np.ndarray) -> np.ndarray:
    """Sum over rows of the squared distance of wins less losses from its expectation, over its
    variance, (draw,).
    """
    n = counts.sum(-1)
    net = chances[..., 0] - chances[..., 1]
    spread = n * (chances[..., 0] + chances[..., 1] - net**2)
    return ((counts[..., 0] - counts[..., 1] - n * net) ** 2 / np.maximum(spread, 1e-12)).sum(-1)


def _judged_apart(posterior: xr.Dataset) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """P(win) - P(loss) of a judgment without advantage of place, of two abilities (draw, ...)."""
    tie = posterior["tie"].values.reshape(-1, 1)
    if posterior.attrs["tie_model"] == "rao_kupper":
        threshold = np.exp(tie)
        return lambda x, y: special.expit(x - y - threshold) - special.expit(y - x - threshold)
    free = np.exp(tie)
    return lambda x, y: 2 * np.sinh((x - y) / 2) / (2 * np.cosh((x - y) / 2) + free)


def _next_judgment(posterior: xr.Dataset, flat: np.ndarray) -> np.ndarray:
    """Posterior mean of the probabilities of win, loss and tie, (system, system, outcome)."""
    apart, k = _judged_apart(posterior), flat.shape[1]
    tie = posterior["tie"].values.reshape(-1, 1)
    found = np.zeros((k, k, 3))
    for row in range(k):
        d = flat[:, row : row + 1] - flat
        net = apart(flat[:, row : row + 1], flat)
        if posterior.attrs["tie_model"] == "rao_kupper":
            win = special.expit(d - np.exp(tie))
            loss = win - net
        else:
            win = 1 / (1 + np.exp(-d) + np.exp(tie - d / 2))
            loss = win - net
        found[row] = np.stack([win.mean(0), loss.mean(0), (1 - win - loss).mean(0)], axis=-1)
    return found


def _by_system(
    posterior: xr.Dataset, draws: np.ndarray, constant: xr.Dataset, ci_prob: float, ci_kind: str
) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Answers over system, and the probability of each rank (system, rank)."""
    samples = draws.shape[:2]
    ability = posterior["ability"].transpose("chain", "draw", names.SYSTEM).values
    flat = ability.reshape(-1, ability.shape[-1])
    chances, places = weights.ranks(flat), np.arange(1, flat.shape[1] + 1)
    low, high = weights.interval(flat, ci_prob, ci_kind)
    first = flat >= flat.max(1, keepdims=True)
    rank = chances @ places
    number = effective(first.astype(float), samples)
    found = {
        "ability": flat.mean(0),
        "ability_mcse": mean_error(ability),
        "lower": low,
        "upper": high,
        "prob_best": chances[:, 0],
        "prob_best_mcse": share_error(chances[:, 0], number),
        "expected_rank": rank,
        "expected_rank_mcse": np.sqrt(np.maximum(chances @ places**2 - rank**2, 0) / number),
        "in_best_set": weights.best_set(chances[:, 0], ci_prob),
    }
    if "expected_score" in posterior:
        score = draws.reshape(flat.shape)
        below, above = weights.interval(score, ci_prob, ci_kind)
        solved, tried = (
            constant["successes"].sum(names.ITEM).values,
            constant["trials"].sum(names.ITEM).values,
        )
        found |= {
            "score": solved / tried,
            "expected_score": score.mean(0),
            "expected_score_mcse": mean_error(draws),
            "expected_score_lower": below,
            "expected_score_upper": above,
        }
    return found, chances


def _warn_separated(constant: xr.Dataset, systems: list[str]) -> None:
    """Say which systems won or lost everything: how far ahead they are is then the prior's word."""
    if "successes" in constant:
        solved, tried = (constant[k].sum(names.ITEM).values for k in ("successes", "trials"))
        all_of, none = solved == tried, solved == 0
        did = ("solved everything", "solved nothing")
    else:
        k = len(systems)
        won, lost = np.zeros(k), np.zeros(k)
        win, loss, tie = constant["counts"].values.T
        for at, w, x in ((constant["a"].values, win, loss), (constant["b"].values, loss, win)):
            np.add.at(won, at, x + tie)
            np.add.at(lost, at, w + tie)
        all_of, none = won == 0, lost == 0
        did = ("won every judgment", "lost every judgment")
    for which, what in ((all_of, did[0]), (none, did[1])):
        if which.any():
            named = [s for s, hit in zip(systems, which, strict=True) if hit]
            who = ", ".join(map(repr, named[:3])) + (
                f" and {len(named) - 3} more" if len(named) > 3 else ""
            )
            warnings.warn(
                f"{who} {what}: by how much they differ from the others is up to the prior",
                stacklevel=3,
            )
