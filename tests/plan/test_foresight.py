"""What must be true of every foresight, and simulations that agree."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import given, settings
from hypothesis import strategies as st

import betterthan as bt
from betterthan.exact.planning import verdicts as planned
from betterthan.exact.planning.edges import Rule, edges, wins_needed
from betterthan.exact.planning.verdicts import Urn
from betterthan.exact.wins.beta import prob_above_half
from betterthan.plan.inputs import SWAPPED, VERDICTS
from betterthan.results.numbers import probability
from betterthan.results.text import as_text

SMALL = st.tuples(*[st.integers(0, 30)] * 3)


def settled(counts, **how):
    """The verdicts of the package itself, of counts (..., 3)."""
    counts = np.asarray(counts)
    table = xr.DataArray(
        counts, dims=("pair", "outcome"), coords={"outcome": ["win", "loss", "tie"]}
    )
    found = bt.posterior.prior_sweep(table, priors={"one": how.pop("prior", (1, 1, 1))}, **how)
    return found["verdict"].isel(prior=0).values


@settings(max_examples=15, deadline=None)
@given(counts=SMALL, rope=st.sampled_from([0.0, 0.1, 0.3]))
def test_no_more_items_is_the_verdict_of_today(counts, rope):
    found = bt.plan.foresee(counts, more=0, rope=rope)
    now = settled([counts], rope=rope)[0]
    assert str(found["now"].values) == now
    assert found["probability"].values.tolist() == [float(v == now) for v in VERDICTS]


@settings(max_examples=12, deadline=None)
@given(counts=SMALL, more=st.integers(1, 40), rope=st.sampled_from([0.0, 0.2]))
def test_swap_of_systems(counts, more, rope):
    found = bt.plan.foresee(counts, more=more, rope=rope)["probability"].values
    turned = (counts[1], counts[0], counts[2])
    other = bt.plan.foresee(turned, more=more, rope=rope)["probability"].values
    np.testing.assert_allclose(found, other[SWAPPED], atol=1e-13)
    assert found.sum() == pytest.approx(1, abs=1e-12)


@settings(max_examples=15, deadline=None)
@given(
    counts=st.tuples(*[st.integers(0, 8)] * 3),
    more=st.integers(1, 9),
    rope=st.sampled_from([0.0, 0.15, 0.35]),
    prior=st.sampled_from([(1, 1, 1), (0.5, 0.5, 0.5), (2, 0.5, 3)]),
)
def test_enumeration_of_all_that_may_come(counts, more, rope, prior):
    """Each future by its Dirichlet-multinomial probability, each verdict by the package."""
    a = np.array(counts) + np.array(prior, float)
    w, l = (x.ravel() for x in np.mgrid[: more + 1, : more + 1])
    new = np.stack([w, l, more - w - l], axis=1)[w + l <= more]
    from scipy.stats import dirichlet_multinomial

    weights = dirichlet_multinomial.pmf(new, a, more)
    later = settled(np.array(counts) + new, rope=rope, prior=prior, threshold=0.8)
    told = [weights[later == v].sum() for v in VERDICTS]
    found = bt.plan.foresee(counts, more=more, rope=rope, prior=prior, threshold=0.8)
    np.testing.assert_allclose(found["probability"].values, told, atol=1e-12)
    again = bt.plan.replication(counts, n=more, rope=rope, prior=prior, threshold=0.8)
    fresh = settled(new, rope=rope, prior=prior, threshold=0.8)
    told = [weights[fresh == v].sum() for v in VERDICTS]
    np.testing.assert_allclose(again["probability"].values, told, atol=1e-12)


@settings(max_examples=12, deadline=None)
@given(won=st.integers(0, 200), lost=st.integers(0, 200), more=st.integers(1, 60))
def test_mean_of_what_will_be_said_is_what_is_said(won, lost, more):
    j = np.arange(more + 1)
    weights = Urn.from_beta([won + 1.0], [lost + 1.0], more).term(np.full_like(j, more), j)[0]
    later = prob_above_half(won + 1 + j, lost + 1 + more - j)
    assert weights.sum() == pytest.approx(1, abs=1e-12)
    assert weights @ later == pytest.approx(prob_above_half(won + 1, lost + 1), abs=1e-12)


@pytest.mark.parametrize("prior", [(1.0, 1.0, 1.0), (0.5, 0.5, 0.5), (3.0, 0.5, 2.0)])
def test_edges_are_the_verdicts_of_the_package(prior):
    for n, rope, threshold in ((12, 0.3, 0.8), (25, 0.4, 0.95)):
        m = np.arange(n + 1)
        at = edges(n, m, Rule(prior, threshold, rope))
        for k in m:
            w = np.arange(k + 1)
            counts = np.stack([w, k - w, np.full_like(w, n - k)], axis=1)
            told = settled(counts, rope=rope, prior=prior, threshold=threshold)
            mine = np.full(k + 1, "undecided", dtype="U10")
            mine[w >= at.a[k]] = "a_better"
            mine[w < at.b[k]] = "b_better"
            mine[(w >= at.low[k]) & (w < at.high[k])] = "equivalent"
            np.testing.assert_array_equal(mine, told)


def test_fewest_wins_by_rationals():
    from fractions import Fraction
    from math import comb

    for m in range(120):
        sure = [
            w
            for w in range(m + 1)
            if Fraction(sum(comb(m + 1, k) for k in range(w + 1)), 2 ** (m + 1))
            >= Fraction(95, 100)
        ]
        assert int(wins_needed(m)) == (sure[0] if sure else m + 1)


def test_design_prior_that_is_a_point_is_fixed_theta():
    theta = np.array([0.3, 0.15, 0.55])
    for rope in (0.0, 0.1):
        known = bt.plan.assurance([40, 80], theta=theta, rope=rope)["probability"].values
        sure = bt.plan.assurance([40, 80], design=theta * 1e8, rope=rope)["probability"].values
        np.testing.assert_allclose(sure, known, atol=1e-5)


@pytest.mark.parametrize("rope", [0.0, 0.1])
def test_assurance_is_foresight_of_nothing(rope):
    curve = bt.plan.assurance([5, 30, 60], rope=rope)["probability"].values
    found = bt.plan.foresee((0, 0, 0), more=[5, 30, 60], rope=rope)["probability"].values
    np.testing.assert_allclose(curve, found, atol=1e-13)


@pytest.mark.parametrize("rope", [0.0, 0.1])
def test_simulation(rope):
    rng = np.random.default_rng(11)
    draws, counts = 4000, np.array([12, 6, 32])
    theta = rng.dirichlet(counts + 1, draws)
    new = rng.multinomial(90, theta)
    later = settled(counts + new, rope=rope)
    found = bt.plan.foresee(tuple(counts.tolist()), more=90, rope=rope)["probability"]
    fresh = settled(new, rope=rope)
    again = bt.plan.replication(tuple(counts.tolist()), n=90, rope=rope)["probability"]
    for verdicts, told in ((later, found), (fresh, again)):
        for v in VERDICTS:
            p = float(told.sel(verdict=v))
            error = np.sqrt(max(p * (1 - p), 1e-4) / draws)
            assert abs((verdicts == v).mean() - p) < 4 * error, v


def test_squares_pairs_and_one_pair_say_the_same():
    table = {("A", "B"): (12, 6, 32), ("A", "C"): (20, 8, 22), ("B", "C"): (3, 12, 30)}
    square = bt.counts.from_table(table)
    for function, how in (
        (bt.plan.foresee, {"more": 30}),
        (bt.plan.foresee, {"until": 60, "rope": 0.1}),
        (bt.plan.replication, {}),
        (bt.plan.fragility, {"rope": 0.2}),
        (bt.plan.e_value, {"rope": 0.1}),
        (bt.plan.confidence_sequence, {}),
    ):
        whole = function(square, **how)
        pairs = function(bt.counts.to_pairs(square), **how)
        for (a, b), counts in table.items():
            alone = function(counts, **how).data
            xr.testing.assert_allclose(
                whole.data.sel(system_a=a, system_b=b).drop_attrs().reset_coords(drop=True),
                alone.drop_attrs().reset_coords(drop=True),
            )
            xr.testing.assert_allclose(
                pairs.data.sel(pair=f"{a} vs {b}").drop_attrs().reset_coords(drop=True),
                alone.drop_attrs().reset_coords(drop=True),
            )
            turned = function((counts[1], counts[0], counts[2]), **how).data
            xr.testing.assert_allclose(
                whole.data.sel(system_a=b, system_b=a).drop_attrs().reset_coords(drop=True),
                turned.drop_attrs().reset_coords(drop=True),
            )
        assert len(whole.table) == 3


def test_several_numbers_of_items():
    found = bt.plan.foresee((12, 6, 32), more=[0, 10, 150])
    assert found["probability"].dims == ("more", "verdict")
    assert found["probability"].isel(more=2).values.tolist() == (
        bt.plan.foresee((12, 6, 32), until=200)["probability"].values.tolist()
    )


def test_a_plan_shows_itself():
    found = bt.plan.foresee((12, 6, 32), until=200)
    said = str(found)
    assert "Undecided: P(A better) = 0.916 after 50 items." in said
    assert "after 150 more items: A better 0.737" in said
    assert said.splitlines()[-1].startswith("betterthan ")
    assert "<table" in found._repr_html_()
    assert "now" in found
    many = str(bt.plan.assurance(range(1, 101)))
    assert "80 more rows" in many
    named = bt.counts.from_table({("<b>old</b>", "new\u202e[31m"): (12, 6, 32)})
    shown = bt.plan.foresee(named, more=5)
    assert "<b>" not in shown._repr_html_().replace("<p><b>", "").replace("</b></p>", "")
    assert "\u202e" not in str(shown)


@pytest.mark.parametrize("width", [40, 80, 110])
def test_every_number_is_printed_within_the_width(width):
    found = bt.plan.foresee((12, 6, 32), more=[5, 10])
    *lines, signature = as_text(found.document(), width).splitlines()
    assert max(map(len, lines)) <= width
    assert signature == found.signature()
    cells = " ".join(lines).replace("< ", "<").replace("> ", ">").split()
    assert [cells.count(more) > 0 for more in ("5", "10")] == [True, True]
    for name in ("a_better", "b_better", "equivalent", "undecided"):
        assert all(probability(value).replace(" ", "") in cells for value in found.table[name])


@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize("higher", [False, True])
def test_differences_of_means_have_the_sign_that_they_have_in_a_comparison(binary, higher):
    values = np.random.default_rng(1).random((40, 2)) + np.array([0.0, 0.2])
    scores = xr.DataArray(
        (values > 0.6).astype(float) if binary else values,
        dims=("item", "system"),
        coords={"system": ["new", "old"], "cluster": ("item", np.arange(40) // 2)},
        attrs={"higher_is_better": higher},
    )
    plan = bt.plan.replication(scores)
    compared = bt.compare(scores)["difference_mean"]
    np.testing.assert_allclose(plan["difference"].values, compared.values)
    order = "new − old" if higher or binary else "new − old; lower is better"
    sign = "+" if binary and not higher else "−"
    of = "accuracy" if binary and not higher else "means"
    assert f"difference in {of} ({order}) {sign}0." in plan.lines[0]


def test_plans_of_means_say_where_wins_favor_the_other_system():
    """Few large gains and many small losses: `compare` names no winner on 120 items, nor later."""
    random = np.random.default_rng(9)
    base = random.uniform(0.3, 0.6, 120)
    gain = np.where(random.random(120) < 0.3, 0.3, -0.04) + random.normal(0, 0.005, 120)
    frame = pd.DataFrame({"item": range(120), "A": (base + gain).round(3), "B": base.round(3)})
    data = bt.read(frame)
    assert bt.compare(data).pairs["verdict"].tolist() == ["split"]
    for plan in (bt.plan.replication(data), bt.plan.foresee(data, until=240)):
        assert plan["wins_and_means_differ"].values.tolist() == [[False, True], [True, False]]
        assert "compare names no single winner" in plan.lines[-1]


def test_a_rope_lets_a_probability_exceed_its_limit():
    """Simulated verdicts of `compare`: 0.87 of 400 items, 0.92 of 600, 0.94 of 900."""
    pilot = bt.counts.from_table({("A", "B"): (22, 10, 68)})
    how = {"rope": 0.05, "target": 0.9}
    few, more = (bt.plan.items_needed(pilot, most=most, **how) for most in (400, 900))
    assert few.lines[0].startswith("No number of items up to 400 leads to the verdict A better")
    assert int(more["first"]) == 546
    assert float(more["ceiling"]) < 0.9
    assert np.isnan(more["always"])
    assert "with many more, it falls below that" in more.lines[0]


@pytest.mark.parametrize("rope", [0.0, 0.02])
@pytest.mark.parametrize("fixed", [False, True])
@pytest.mark.parametrize("more", [10_000, 60_000])
def test_many_items_are_foreseen_as_by_their_sum(monkeypatch, rope, fixed, more):
    pilot = np.array([[9070, 8930, 2000], [4212, 3788, 12000], [18000, 1500, 500]])
    items = planned.Items(pilot / 20_000 if fixed else pilot + 1.0, fixed)
    rule = Rule(rope=rope)
    for had in (pilot, np.zeros_like(pilot)):
        by_sum = planned.after(items, had, more, rule)
        monkeypatch.setattr(planned, "_SUMMED", 1000)
        # nodes do not see that counts are whole: 0.002 at these sizes, a tenth of it at 1,000,000
        np.testing.assert_allclose(planned.after(items, had, more, rule), by_sum, atol=2e-3)
        monkeypatch.undo()


def test_without_ties_many_items_are_foreseen_as_by_their_sum(monkeypatch):
    pilot = np.array([[10_070, 9930], [19_990, 10]])
    by_sum = planned.after(planned.Items(pilot + 1.0), pilot, 20_000, Rule())
    monkeypatch.setattr(planned, "_SUMMED", 1000)
    by_nodes = planned.after(planned.Items(pilot + 1.0), pilot, 20_000, Rule())
    np.testing.assert_allclose(by_nodes, by_sum, atol=2e-3)


@pytest.mark.parametrize("rope", [0.0, 0.01])
def test_a_million_million_votes_are_printed(rope):
    votes = {("A", "B"): (6 * 10**11, 4 * 10**11, 10**11)}
    text = str(bt.compare(bt.counts.from_table(votes), rope=rope))
    assert text.startswith("A is better than B (probability > 0.999)")
