"""The models beyond two systems against their limiting cases, against quadrature, and against
print.
"""

from types import ModuleType
from typing import Any

import numpy as np
import xarray as xr
from scipy import optimize, special, stats

from betterthan import names
from betterthan.exact.numeric.sampling_error import probability_z
from betterthan.exact.wins import rasch
from betterthan.models import (
    davidson,
    dirichlet_multinomial,
    graded,
    item_response,
    of_pairs,
    shrinkage,
    tie_models,
)
from betterthan.models.sampling import Sampling

DRAWS = 2000
PARTS = 4  # data sets or clusters that a published table is dealt out to
NEAR_ONE = 1e7  # a concentration at which data sets are alike to all digits asked for
_HELD = {
    "hierarchical": {"concentration": NEAR_ONE},
    "clustered": {"correlation": 1 / (1 + NEAR_ONE)},
}


def collect(model: ModuleType, name: str, reference: dict[str, Any], seed: int) -> dict[str, Any]:
    """All of it, as the evidence holds it."""
    if name in ("hierarchical", "clustered"):
        return pooled(model, name, reference["case"], seed)
    return {"davidson": of_davidson, "item_response": of_item_response, "graded": of_graded}[name](
        reference, seed
    )


def pooled(model: ModuleType, name: str, cases: list[dict[str, Any]], seed: int) -> dict[str, Any]:
    """Published tables dealt out at random to parts: alike in the limit, they are the one table
    again.
    """
    random = np.random.default_rng(seed)
    tables = np.array([[*case["counts"], 0][:3] for case in cases])
    dealt = np.stack([_dealt(table, random) for table in tables], axis=1)
    dim = "dataset" if name == "hierarchical" else "cluster"
    counts = xr.DataArray(
        dealt,
        dims=(dim, names.PAIR, names.OUTCOME),
        coords=of_pairs.simulated(len(tables)) | {names.OUTCOME: list(names.OUTCOMES)},
    )
    exact = dirichlet_multinomial.closed_form(counts.sum(dim))
    tree = model.fit(
        counts, rng=seed, sampling=Sampling(draws=DRAWS), predictive=False, **_HELD[name]
    )
    posterior = tree["posterior"].to_dataset()
    margin = (
        posterior["mu"][..., 0] - posterior["mu"][..., 1]
        if name == "hierarchical"
        else posterior["difference"]
    )
    printed = np.array([case["p_better"] for case in cases])
    half_unit = 0.5 * 10.0 ** -np.array([case["decimals"] for case in cases])
    found: dict[str, Any] = {
        "published": {
            "cases": len(cases),
            "reproduced_by_closed_form": int(
                (np.abs(exact.values - printed) <= half_unit * (1 + 1e-9)).sum()
            ),
            "max_abs_z_probability": _z(margin, exact.values),
        }
    }
    if name == "hierarchical":
        apart = model.fit(
            counts,
            rng=seed,
            sampling=Sampling(draws=DRAWS),
            predictive=False,
            concentration=3.0,
            centre=(1, 1, 1),
        )
        theta = apart["posterior"]["theta"]
        none = model.closed_form(counts, pooling="none")
        found["each_by_itself"] = {
            "max_abs_z_probability": _z(theta[..., 0] - theta[..., 1], none.values)
        }
        found["quadrature"] = [
            _hierarchical_row(model, seed + k, *shape) for k, shape in enumerate(((2, 20), (6, 60)))
        ]
    else:
        rows = []
        for k, (count, size) in enumerate(((6, 3), (30, 5), (12, 40))):
            data = model.simulate(count, size=size, pairs=4, rng=seed + k)["counts"]
            fitted = model.fit(data, rng=seed, sampling=Sampling(draws=DRAWS), predictive=False)
            z = _z(fitted["posterior"]["p"] - 0.5, model.closed_form(data).values)
            rows.append({"clusters": count, "size": size, "max_abs_z_probability": z})
        found["quadrature"] = rows
    return found


def of_davidson(reference: dict[str, Any], seed: int) -> dict[str, Any]:
    """Two systems against sums over a grid; and a published table by maximum likelihood."""
    rows = []
    for k, ties in enumerate(tie_models.TIE_MODELS):
        data = davidson.simulate(2, judgments=40, tie_model=ties, rng=seed + k)
        tree = davidson.fit(
            data, tie_model=ties, rng=seed, sampling=Sampling(draws=DRAWS), predictive=False
        )
        x = tree["posterior"].to_dataset()["ability"].isel(system=0)
        exact = two_abilities(tree["constant_data"].to_dataset()["counts"].values[0], ties)
        rows.append({"ties": ties} | _compared(x, exact))
    table = reference["table"]
    wins, printed = np.array(table["wins"]), np.array(table["ability"])
    a, b = np.triu_indices(len(wins), 1)

    def loss(ability: np.ndarray) -> float:
        d = ability[a] - ability[b]
        # ties next to impossible: Bradley-Terry in d
        log = tie_models.log_chances_of(d, np.full(d.shape, -40.0), "davidson")
        return -float(wins[a, b] @ log[:, 0] + wins[b, a] @ log[:, 1])

    best = optimize.minimize(loss, np.zeros(len(wins)), method="BFGS").x
    return {
        "quadrature": rows,
        "published": {"max_error_of_abilities": float(np.abs(best - best[-1] - printed).max())},
    }


def two_abilities(counts: np.ndarray, ties: str) -> tuple[np.ndarray, np.ndarray]:
    """Values of the first of two abilities and their posterior weights, the tie parameter and the
    spread summed out.
    """
    x = np.linspace(-6, 6, 801)
    tie = np.linspace(-9, 6, 601)
    log = tie_models.log_chances_of(*np.meshgrid(2 * x, tie, indexing="ij"), ties) @ counts
    log = special.logsumexp(log + stats.norm.logpdf(tie, *tie_models.PRIOR[ties]), axis=1)
    return x, _weights(log + _ability_prior(x))


def of_item_response(reference: dict[str, Any], seed: int) -> dict[str, Any]:
    """Two systems against sums over a grid; and a published test of five questions by maximum
    likelihood.
    """
    data = item_response.simulate(40, systems=2, rng=seed)
    tree = item_response.fit(data, rng=seed, sampling=Sampling(draws=DRAWS), predictive=False)
    exact = _two_systems(data["successes"].values)
    row = _compared(tree["posterior"].to_dataset()["ability"].isel(system=0), exact)
    table = reference["table"]
    patterns, times = (
        np.array([[int(c) for c in p] for p in table["patterns"]]),
        np.array(table["count"]),
    )
    node, log_weight = rasch.nodes(101)

    def loss(parameters: np.ndarray) -> float:
        eta = parameters[:-1, None] - parameters[-1] * node
        log = patterns @ special.log_expit(eta) + (1 - patterns) @ special.log_expit(-eta)
        return -float(times @ special.logsumexp(log + log_weight, axis=1))

    best = optimize.minimize(loss, np.append(np.zeros(patterns.shape[1]), 1.0), method="BFGS")
    # the sign of the slope is free: people are normal around 0
    errors = np.abs(
        np.append(best.x[:-1], abs(best.x[-1])) - np.append(table["intercept"], table["slope"])
    )
    likelihood = abs(-best.fun - table["log_likelihood"])
    return {
        "quadrature": [row | {"quadrature_error": tree["posterior"].attrs["quadrature_error"]}],
        "published": {
            "max_error_of_parameters": float(errors.max()),
            "error_of_log_likelihood": float(likelihood),
        },
    }


def _two_systems(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    x, mean = np.linspace(-5, 5, 301), np.linspace(-7, 7, 141)
    z, w = rasch.hermite(30)
    node, log_weight = rasch.nodes(81)
    both, first, second, none = (
        (y.sum(1) == 2).sum(),
        (y @ [2, 1] == 2).sum(),
        (y @ [2, 1] == 1).sum(),
        (y.sum(1) == 0).sum(),
    )
    log = np.full((len(x), len(mean)), -np.inf)
    for spread, weight in zip(
        np.exp(item_response._ITEM[0] + item_response._ITEM[1] * z), w, strict=True
    ):
        at = mean[:, None] - spread * node
        up, down = (
            special.log_expit(sign * (at + s * x[:, None, None])) for sign, s in ((1, 1), (-1, 1))
        )
        up_b, down_b = (special.log_expit(sign * (at - x[:, None, None])) for sign in (1, -1))
        chance = [
            special.logsumexp(p + log_weight, axis=-1)
            for p in (up + up_b, up + down_b, down + up_b, down + down_b)
        ]
        found = sum(n * c for n, c in zip((both, first, second, none), chance, strict=True))
        log = np.logaddexp(log, found + weight)
    log = special.logsumexp(log + stats.norm.logpdf(mean, 0, item_response._MEAN), axis=1)
    return x, _weights(log + _ability_prior(x))


def of_graded(reference: dict[str, Any], seed: int) -> dict[str, Any]:
    """Pairs against sums over a grid; and Student's own differences, by his t."""
    rows = []
    for k, items in enumerate((8, 40)):
        y = graded.simulate(items, rng=seed + k)["difference"].values[:, 0]
        scores = _scores(y)
        tree = graded.fit(scores, rng=seed, sampling=Sampling(draws=DRAWS), predictive=False)
        rows.append(
            {"items": items}
            | _compared(tree["posterior"].to_dataset()["centre"].isel(pair=0), _centre(y))
        )
    hours = np.array(reference["table"]["difference"])
    t, p = stats.ttest_1samp(hours, 0)
    return {
        "quadrature": rows,
        "published": {
            "error_of_t": float(abs(t - reference["table"]["t"])),
            "error_of_p": float(abs(p - reference["table"]["p"])),
            "prob_better": _share_above(_centre(hours[hours != 0])),
        },
    }


def _scores(y: np.ndarray) -> xr.DataArray:
    return xr.DataArray(
        np.stack([y, 0 * y], axis=1), dims=("item", "system"), coords={"system": ["A", "B"]}
    )


def _centre(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Standardised centres and their posterior weights, scale and tail summed out."""
    y = y / np.sqrt((y**2).mean())
    x = np.linspace(-4, 4, 801)
    z, w = rasch.nodes(121)
    unit, mass = np.polynomial.legendre.leggauss(40)
    log = np.full(len(x), -np.inf)
    for u, m in zip((unit + 1) / 2, mass / 2, strict=True):
        tail = 1 - graded._TAIL * np.log1p(-u)
        for node, weight in zip(z, w, strict=True):
            scale = np.exp(graded._SCALE[0] + graded._SCALE[1] * node)
            here = stats.t.logpdf((y - x[:, None]) / scale, tail).sum(1) - len(y) * np.log(scale)
            log = np.logaddexp(log, here + weight + np.log(m))
    return x, _weights(log + stats.norm.logpdf(x, 0, graded._CENTRE))


def _hierarchical_row(model: ModuleType, seed: int, datasets: int, n: int) -> dict[str, Any]:
    data = model.simulate(datasets, n=n, rng=seed)["counts"]
    tree = model.fit(data, rng=seed, sampling=Sampling(draws=DRAWS), predictive=False)
    mu = tree["posterior"]["mu"].isel(pair=0)
    return {"datasets": datasets, "n": n} | _compared(
        mu[..., 0] - mu[..., 1], _common_mean(data.values[:, 0])
    )


def _common_mean(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Values of mu_win - mu_loss and their posterior weights, from a grid of mu and of the
    correlation.
    """
    node, weight = np.polynomial.legendre.leggauss(90)
    t = (node + 1) / 2
    u, du = t**2 * (3 - 2 * t), 3 * t * (1 - t) * weight
    kappa = 1 / -np.expm1(np.log1p(-u) / 9) - 1  # the prior Beta(1, 9) by its quantiles
    p, s = np.meshgrid(u, u, indexing="ij")
    mu = np.stack([s * p, s * (1 - p), 1 - s], axis=-1)
    total: Any = np.zeros(p.shape)
    for k, share in zip(kappa, du, strict=True):
        log = sum(
            special.gammaln(k)
            - special.gammaln(k + row.sum())
            + (special.gammaln(k * mu + row) - special.gammaln(k * mu)).sum(-1)
            for row in y
        )
        total += share * np.exp(log)
    total *= 2 * s * du[:, None] * du  # the uniform prior on the simplex has density 2 s in (p, s)
    return (s * (2 * p - 1)).ravel(), (total / total.sum()).ravel()


def _ability_prior(x: np.ndarray) -> np.ndarray:
    """Log prior of the first of two abilities that sum to zero, its spread summed out."""
    level = (np.arange(400) + 0.5) / 400
    sd = stats.gamma.ppf(level, shrinkage.SHAPE, scale=1 / shrinkage.RATE) / np.sqrt(2)
    return np.asarray(
        special.logsumexp(stats.norm.logpdf(x[:, None], 0, sd), axis=1) - np.log(len(sd))
    )


def _weights(log: np.ndarray) -> np.ndarray:
    weight = np.asarray(np.exp(log - log.max()))
    return weight / weight.sum()


def _share_above(exact: tuple[np.ndarray, np.ndarray]) -> float:
    x, weight = exact
    return float(weight[x > 1e-12].sum() + weight[np.abs(x) <= 1e-12].sum() / 2)


def _compared(draws: xr.DataArray, exact: tuple[np.ndarray, np.ndarray]) -> dict[str, float]:
    """Mean, standard deviation and share above 0, in Monte Carlo errors."""
    import arviz as az

    x, weight = exact
    mean = float(weight @ x)
    sd = float(np.sqrt(weight @ (x - mean) ** 2))
    return {
        "abs_z_mean": abs(float(draws.mean()) - mean) / float(az.mcse(draws, method="mean")),
        "abs_z_sd": abs(float(draws.std()) - sd) / float(az.mcse(draws, method="sd")),
        "abs_z_positive": _z(draws, np.array(_share_above(exact))),
    }


def _z(margin: xr.DataArray, exact: np.ndarray) -> float:
    """Largest distance of a share of draws above 0 from its exact value, in Monte Carlo errors."""
    import arviz as az

    better = (margin > 0).astype(float)
    share = better.mean(("chain", "draw")).values
    total = better.sizes["chain"] * better.sizes["draw"]
    with np.errstate(invalid="ignore", divide="ignore"):
        ess = np.asarray(az.ess(better, method="mean"))
    ess = np.where(np.isfinite(ess), np.minimum(ess, total), total / 4)  # of a constant: unknown
    return float(np.abs(probability_z(np.broadcast_to(exact, share.shape), share, ess)).max())


def _dealt(table: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """The examples of a table dealt out to parts at random, (part, outcome)."""
    examples = random.permutation(np.repeat(np.arange(3), table))
    return np.stack([np.bincount(part, minlength=3) for part in np.array_split(examples, PARTS)])
