"""k-hat against ArviZ, draws of equal weight, curvature against differences, two roads to one
density.
"""

import numpy as np
import pytest

from betterthan.exact.laplace import items, judgments, nested
from betterthan.exact.laplace import nested as spreads
from betterthan.exact.numeric import monte_carlo as psis
from betterthan.exact.wins import rasch
from betterthan.models import item_response
from validation.of_davidson import two_abilities


@pytest.mark.parametrize("shape", [0.1, 0.5, 0.9])
def test_k_hat_and_weights_are_those_of_arviz(shape):
    stats = pytest.importorskip("arviz_stats")
    log = shape * np.random.default_rng(3).exponential(size=10_000)
    weight, k = psis.smoothed(log)
    theirs, their_k = stats.base.array_stats.psislw(-log)  # which takes minus the log weights
    assert k == pytest.approx(float(their_k), abs=1e-6)
    theirs = np.exp(np.asarray(theirs) - np.max(theirs))
    assert weight == pytest.approx(theirs / theirs.sum(), rel=1e-6)


def test_draws_of_equal_weight_are_as_many_as_the_weight_says():
    weight = np.random.default_rng(1).random(500)
    found = np.bincount(psis.evenly(weight, 2000, np.random.default_rng(2)), minlength=500)
    assert np.abs(found - 2000 * weight / weight.sum()).max() < 1


def posterior(kind, data):
    y, n = data["successes"].values, data["trials"].values
    x, log_weight = rasch.nodes(81)
    rest = np.array([(0.3, 0.6)] + [(0.0, 1.0)] * (kind != "rasch"))
    kinds = items.distinct_cells(y, n)
    z, w = rasch.hermite(5)
    inner = {
        "rasch": lambda: items.Rasch.from_counts(y, n, x, log_weight),
        "repeated": lambda: items.Cells.from_counts(
            items.Repeated(kinds, x, spreads.beta(1, 3)), y, n, log_weight
        ),
        "slopes": lambda: items.Cells.from_counts(
            items.Steep(kinds, np.tile(x, 5), np.repeat(z, 81), spreads.half_normal(0.5)),
            y,
            n,
            (w[:, None] + log_weight).ravel(),
        ),
    }[kind]()
    prior = spreads.Around(y.shape[1], spreads.gamma(3, 4), 1.5, rest)
    return nested.Posterior(prior, items.Items(inner))


def holes(data):
    gone = np.random.default_rng(1).random(data["trials"].shape) < 0.2
    return data.assign({k: data[k].where(~gone, 0) for k in ("successes", "trials")})


@pytest.mark.parametrize("kind", ["rasch", "repeated", "slopes"])
@pytest.mark.parametrize("whole", [True, False])
def test_slope_and_curvature_are_those_of_the_log_likelihood(kind, whole):
    data = item_response.simulate(30, systems=4, trials=3 if kind == "repeated" else 1, rng=2)
    likelihood = posterior(kind, data if whole else holes(data)).likelihood
    agrees_with_differences(likelihood, 4 + 1 + (kind != "rasch"))


@pytest.mark.parametrize("of", ["davidson", "rao_kupper"])
def test_those_of_judgments_are_too(of):
    from betterthan.counts.judgments import judgment_rows
    from betterthan.models import davidson

    data = davidson.simulate(4, judgments=80, judges=3, position=True, rng=2)
    form = {"position": True, "judges": True}
    rows = judgment_rows(data, **form)
    found = davidson.Weights(rows, of, position=True).posterior()
    agrees_with_differences(found.likelihood, 4 + 3 + 3 + 2)
    point = np.random.default_rng(5).normal(size=(2, 12))
    second = found.likelihood.model.bent(found.likelihood.counts, *found.likelihood._sums(point))[
        3:
    ]
    d, tie = (table.toarray() for table in (found.likelihood.d_design, found.likelihood.tie_design))
    dd, both, tt = (weight[:, None, :] for weight in second)
    beside = (d.T * both) @ tie
    dense = (d.T * dd) @ d + (tie.T * tt) @ tie + beside + beside.swapaxes(1, 2)
    mapped = (found.likelihood.bends @ np.hstack(second).T).T.reshape(dense.shape)
    assert mapped == pytest.approx(dense)


def agrees_with_differences(likelihood, size):
    x = 0.5 * np.random.default_rng(3).normal(size=size)
    step = 1e-4 * np.eye(size)
    here = likelihood.curved(x[None])
    assert here.height == pytest.approx(likelihood.log(x[None]), abs=1e-9)
    slope = (likelihood.log(x + step) - likelihood.log(x - step)) / 2e-4
    assert here.slope[0] == pytest.approx(slope, rel=1e-4, abs=1e-4)
    down = -(likelihood.curved(x + step).slope - likelihood.curved(x - step).slope) / 2e-4
    assert here.down[0] == pytest.approx(down, rel=1e-3, abs=2e-3)


@pytest.mark.parametrize("whole", [True, False])
def test_totals_and_cells_are_two_roads_to_one_density(whole):
    data = item_response.simulate(40, systems=5, rng=3)
    data = data if whole else holes(data)
    by_total = posterior("rasch", data).likelihood
    by_cell = posterior("slopes", data).likelihood
    x = np.random.default_rng(2).normal(size=(7, 6))
    flat = np.column_stack([x, np.full(7, -40.0)])  # slopes that do not differ
    assert by_cell.log(flat) == pytest.approx(by_total.log(x), abs=1e-8)


def test_extreme_parameters_overflow_nowhere():
    data = item_response.simulate(20, systems=6, rng=3)
    likelihood = posterior("rasch", data).likelihood
    x = np.array([[300.0, -300, 0, 0, 5, 5, 1], [0, 0, 0, 0, 0, 0, 4.5], [1, 2, 3, 4, 5, 6, -20]])
    with np.errstate(all="raise", under="ignore"):
        assert np.isfinite(likelihood.log(x)).all()


def test_spreads_are_quantiles():
    from scipy import stats

    v = np.array([-5.0, -2, 0, 1, 4])
    for spread, law in (
        (spreads.gamma(3, 4), stats.gamma(3, scale=1 / 4)),
        (spreads.half_normal(0.5), stats.halfnorm(scale=0.5)),
        (spreads.beta(1, 3), stats.beta(1, 3)),
    ):
        low = law.cdf(spread(v))[:3]
        assert low == pytest.approx(stats.norm.cdf(v)[:3], rel=1e-7)
        assert law.sf(spread(v))[3:] == pytest.approx(stats.norm.sf(v)[3:], rel=1e-6)


def test_a_density_without_a_largest_value_is_refused():
    def upward(x, which):
        flat = np.broadcast_to(np.eye(1) * 1e-3, (len(x), 1, 1)).copy()
        return nested.Curved(x[:, 0].copy(), np.ones_like(x), flat)

    with pytest.raises(ValueError, match="1 of 1 log densities have no largest value"):
        nested.largest(upward, np.zeros((1, 1)))


def test_two_abilities_are_those_of_a_grid():
    """Many draws of the weighted proposal, before any is drawn again, against sums."""
    from scipy import sparse

    counts = np.array([[14.0], [6.0], [5.0]])
    d = sparse.csr_array(np.array([[1.0, -1.0, 0.0]]))
    tie = sparse.csr_array(np.array([[0.0, 0.0, 1.0]]))
    prior = spreads.Effects(((2, spreads.gamma(3, 4)),), np.array([(-0.7, 1.5)]))
    found = nested.Proposal.around(
        nested.Posterior(prior, judgments.Judgments(counts, d, tie, (), judgments.DAVIDSON))
    ).weighted(100_000, np.random.default_rng(1))
    weight = np.exp(found.log_ratio - found.log_ratio.max())
    ability = (found.x[:, 0] - found.x[:, 1]) / 2
    x, mass = two_abilities(counts[:, 0], "davidson")
    mean = weight @ ability / weight.sum()
    error = np.sqrt((weight**2 * (ability - mean) ** 2).sum()) / weight.sum()
    assert abs(mean - x @ mass) < 4 * error < 0.01


@pytest.mark.parametrize("far", [1.0, 40.0, 3000.0])
def test_sums_over_judgments_are_those_of_their_rows(far):
    """Also where an exponential is no number."""
    random = np.random.default_rng(1)
    counts = random.integers(0, 4, (3, 7)).astype(float)
    d, tie = random.normal(0, far, (5, 7)), random.normal(0, far, (5, 7))
    for of in (judgments.DAVIDSON, judgments.RAO_KUPPER):
        if of is judgments.RAO_KUPPER:
            tie = np.clip(tie, -3, 3)
        rows = of.log(counts, d, tie)
        assert np.isfinite(rows).all()
        assert of.total(counts, d, tie) == pytest.approx(rows.sum(1), rel=1e-12)
    logs = np.stack([d / 2, -d / 2, tie])
    exact = np.logaddexp.reduce(logs)
    wanted = (counts[:, None] * (logs - exact)).sum(0)
    assert judgments.davidson(counts, d, tie) == pytest.approx(wanted, rel=1e-9, abs=1e-9)
