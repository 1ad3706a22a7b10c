"""The posterior of precision, recall and F1 against Betas, draws, high precision and the definition
of an HDI.
"""

import mpmath
import numpy as np
import pandas as pd
import pytest
from scipy import special
from scipy.stats import beta

import betterthan as bt
from betterthan.exact import f_measure

COUNTS = {"A": (30, 5, 9), "B": (3, 1, 0), "C": (0, 0, 0), "D": (4000, 700, 100)}


def tallies(label=False):
    rows = [
        {"system": s, "item": "i", "tp": c[0], "fp": c[1], "fn": c[2]} for s, c in COUNTS.items()
    ]
    frame = pd.DataFrame(rows)
    return bt.io.tallies_from_table(
        pd.concat([frame.assign(label="x"), frame.assign(label="y")]) if label else frame
    )


def above(a, b, statistic, value):
    """P(score > value), from the upper tail."""
    return special.betaincc(a, b, value / (2 - value) if statistic == "f1" else value)


@pytest.mark.parametrize(("statistic", "other"), [("precision", 1), ("recall", 2)])
def test_precision_and_recall_are_betas(statistic, other):
    found = bt.scores.posterior(tallies(), statistic=statistic, ci_kind="eti", prior="jeffreys")
    for system, counts in COUNTS.items():
        exact = beta(counts[0] + 0.5, counts[other] + 0.5)
        at = found.sel(system=system)
        assert at["mean"].item() == pytest.approx(exact.mean(), rel=1e-12)
        assert at["lower"].item() == pytest.approx(exact.ppf(0.025), rel=1e-9)
        assert at["upper"].item() == pytest.approx(exact.ppf(0.975), rel=1e-9)


def test_f1_against_a_million_draws():
    rng = np.random.default_rng(1)
    found = bt.scores.posterior(tallies(), ci_kind="eti")
    for system, counts in COUNTS.items():
        tp, fp, fn = rng.dirichlet(np.add(counts, [1, 0.5, 0.5]), 1_000_000).T
        f = 2 * tp / (2 * tp + fp + fn)
        at = found.sel(system=system)
        assert abs(at["mean"].item() - f.mean()) < 4 * f.std() / 1000
        for end, prob in (("lower", 0.025), ("upper", 0.975)):
            below = (f <= at[end].item()).mean()
            assert abs(below - prob) < 4 * np.sqrt(prob * (1 - prob) / 1e6)


@pytest.mark.parametrize(("a", "b"), [(1, 2), (31, 16), (0.5, 3.5), (4001, 802), (1e6, 10)])
def test_the_mean_of_f1_to_thirty_digits(a, b):
    with mpmath.workdps(40):
        exact = 2 * mpmath.mpf(a) / (a + b) * mpmath.hyp2f1(1, a + 1, a + b + 1, -1)
    found = f_measure.mean(np.array(float(a)), np.array(float(b)), "f1")
    assert float(found) == pytest.approx(float(exact), rel=1e-13)


@pytest.mark.parametrize("statistic", ["precision", "recall", "f1"])
def test_the_hdi_is_the_narrowest(statistic):
    found = bt.scores.posterior(tallies(), statistic=statistic)
    width = (found["upper"] - found["lower"]).values
    mass = above(found["a"].values, found["b"].values, statistic, 0.0)
    np.testing.assert_allclose(mass, 1)
    for left in np.linspace(0, 0.05, 101):
        low = f_measure.quantile(found["a"].values, found["b"].values, statistic, left)
        high = f_measure.quantile(
            found["a"].values, found["b"].values, statistic, min(left + 0.95, 1.0)
        )
        assert (high - low >= width - 1e-9).all()


def test_above_is_the_other_side_of_the_quantile():
    a, b = np.array([31.0, 2.0]), np.array([16.0, 9.0])
    for statistic in ("precision", "f1"):
        for prob in (1e-12, 0.3, 0.9):
            value = f_measure.quantile(a, b, statistic, prob)
            each = [above(a, b, statistic, float(v))[k] for k, v in enumerate(value)]
            np.testing.assert_allclose(each, 1 - prob, rtol=1e-9)


def test_labels_and_scale():
    found = bt.scores.posterior(tallies(label=True))
    assert found["mean"].dims == ("system", "label")
    np.testing.assert_allclose(found["mean"].sel(label="x"), bt.scores.posterior(tallies())["mean"])
    halves = tallies() * 2
    halves.attrs["scale"] = 2
    np.testing.assert_allclose(
        bt.scores.posterior(halves)["mean"], bt.scores.posterior(tallies())["mean"]
    )


def test_the_score_of_the_data():
    found = bt.scores.posterior(tallies())["score"]
    np.testing.assert_allclose(found, [60 / 74, 6 / 7, 0, 8000 / 8800])


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        (
            {"statistic": "accuracy"},
            "statistic is 'accuracy'; choose one of precision, recall, f1, f_beta",
        ),
        ({"prior": (1, 0, 1)}, "prior for fp is 0"),
        ({"ci_prob": 1}, "ci_prob is 1"),
        ({"ci_kind": "sd"}, "ci_kind is 'sd'"),
    ],
)
def test_bad_choices(choices, message):
    with pytest.raises(ValueError, match=message):
        bt.scores.posterior(tallies(), **choices)


@pytest.mark.parametrize(
    "alpha", [(31.0, 6, 10), (1, 1, 1), (0.5, 0.5, 0.5), (4001, 701, 101), (2e5, 3e4, 5e4)]
)
def test_f_beta_with_beta_one_is_f1(alpha):
    a, b = np.array(alpha[0]), np.array(alpha[1] + alpha[2])
    assert f_measure.f_beta_mean(np.array(alpha), 1) == pytest.approx(
        f_measure.mean(a, b, "f1"), rel=1e-12
    )
    for x in (0.2, 0.75, 0.9):
        assert f_measure.f_beta_above(np.array(alpha), 1, np.array(x)) == pytest.approx(
            above(a, b, "f1", x), rel=1e-9
        )
    for prob in (1e-6, 0.3, 0.975):
        found = f_measure.f_beta_quantile(np.array(alpha), 1, prob)
        assert found == pytest.approx(f_measure.quantile(a, b, "f1", prob), rel=1e-10)
    np.testing.assert_allclose(
        f_measure.f_beta_interval(np.array(alpha), 1, 0.95, "hdi"),
        f_measure.interval(a, b, "f1", 0.95, "hdi"),
        rtol=1e-6,
        atol=1e-12,
    )


@pytest.mark.parametrize("alpha", [(31.0, 6, 10), (2, 1, 1), (4001, 701, 101)])
@pytest.mark.parametrize("beta_", [0.5, 2])
def test_f_beta_against_a_million_draws(alpha, beta_):
    tp, fp, fn = np.random.default_rng(4).dirichlet(alpha, 1_000_000).T
    f = (1 + beta_**2) * tp / ((1 + beta_**2) * tp + beta_**2 * fn + fp)
    assert abs(f_measure.f_beta_mean(np.array(alpha), beta_) - f.mean()) < 4 * f.std() / 1000
    for prob in (0.025, 0.5, 0.975):
        below = (f <= f_measure.f_beta_quantile(np.array(alpha), beta_, prob)).mean()
        assert abs(below - prob) < 4 * np.sqrt(prob * (1 - prob) / 1e6)


def test_f_beta_against_mpmath():
    a1, a2, a3 = 4, 2.5, 7
    found = f_measure.f_beta_above(np.array([a1, a2, a3]), 2, np.array(0.4))
    with mpmath.workdps(30):

        def given(u):
            c = (4 * u + 1 - u) / 5
            t = c * mpmath.mpf("0.4") / (1 - mpmath.mpf("0.4") + c * mpmath.mpf("0.4"))
            weight = u ** (a3 - 1) * (1 - u) ** (a2 - 1) / mpmath.beta(a3, a2)
            return weight * mpmath.betainc(a1, a2 + a3, t, 1, regularized=True)

        exact = mpmath.quad(given, [0, 0.25, 0.5, 0.75, 1])
    assert float(found) == pytest.approx(float(exact), rel=1e-12)


def test_density_of_f_beta_is_the_slope_of_its_probability():
    alpha, x, h = np.array([31.0, 6, 10]), np.linspace(0.5, 0.95, 10), 1e-5
    slope = (f_measure.f_beta_below(alpha, 2, x + h) - f_measure.f_beta_below(alpha, 2, x - h)) / (
        2 * h
    )
    np.testing.assert_allclose(f_measure.f_beta_density(alpha, 2, x), slope, rtol=1e-6)
    np.testing.assert_allclose(
        f_measure.f_beta_below(alpha, 2, x) + f_measure.f_beta_above(alpha, 2, x), 1, rtol=1e-12
    )


def test_f_beta_through_the_door():
    found = bt.scores.posterior(tallies(label=True), statistic="f_beta", beta=2)
    tp, fp, fn = COUNTS["A"]
    assert found["score"].sel(system="A", label="x").item() == pytest.approx(
        5 * tp / (5 * tp + 4 * fn + fp)
    )
    assert (found["lower"] <= found["mean"]).all()
    assert (found["mean"] <= found["upper"]).all()
    with pytest.raises(ValueError, match="beta=2 is for statistic='f_beta'"):
        bt.scores.posterior(tallies(), beta=2)
    with pytest.raises(ValueError, match="beta is 0"):
        bt.scores.posterior(tallies(), statistic="f_beta", beta=0)
