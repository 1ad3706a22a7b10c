"""What a comparison is to expect: the same numbers as the functions for counts give."""

import warnings

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy import stats

import betterthan as bt
from betterthan import names
from betterthan.exact.planning.verdicts import Units, after_units

TABLE = {("A", "B"): (12, 6, 32), ("A", "C"): (20, 8, 22), ("B", "C"): (3, 6, 41)}


@pytest.mark.parametrize("rope", [0.0, 0.05])
def test_of_counts(rope):
    found = bt.plan.outlook(bt.compare(bt.counts.from_table(TABLE), rope=rope))
    assert found.data.sizes["pair"] == 3
    for one in (found.data.isel(pair=k) for k in range(3)):
        a, b = str(one["system_a"].values), str(one["system_b"].values)
        w, l, t = TABLE.get((a, b)) or np.array(TABLE[(b, a)])[[1, 0, 2]].tolist()
        now = bt.plan.replication((w, l, t), rope=rope)
        assert str(one["now"].values) == str(now["now"].values)
        if str(one["now"].values) == "undecided":
            assert np.isnan(one["replicates"])
            more = float(one["more_items"])
            then = bt.plan.foresee((w, l, t), more=int(more), rope=rope)["probability"]
            told = float(1 - then.sel(verdict="undecided"))
            equivalent = float(then.sel(verdict="equivalent"))
            assert float(one["more_equivalent"]) == pytest.approx(equivalent, abs=1e-12)
            assert float(one["more_probability"]) == pytest.approx(told, abs=1e-12)
            assert told >= 0.8
            needed = bt.plan.items_needed(
                bt.counts.from_table({("A", "B"): (w, l, t)}), keep=True, of="any", rope=rope
            )
            assert float(needed["first"]) <= more < 1.6 * float(needed["first"])
        else:
            assert float(one["replicates"]) == pytest.approx(float(now["same"]), abs=1e-12)
            firm = bt.plan.fragility((w, l, t), rope=rope)
            assert float(one["turn"]) == float(firm["turn"])
            assert np.isnan(one["more_items"])


def test_items_that_would_show_two_systems_equivalent_are_a_verdict():
    """18 to 18 wins of 500 with a rope of 0.02: most likely they are equivalent."""
    comparison = bt.compare(bt.counts.from_table({("A", "B"): (18, 18, 464)}), rope=0.02)
    found = bt.plan.outlook(comparison).data.isel(pair=0)
    then = bt.plan.foresee((18, 18, 464), more=1500, rope=0.02)["probability"]
    assert then.values[:3].round(3).tolist() == [0.158, 0.158, 0.656]
    assert 0 < float(found["more_items"]) < 1500
    assert float(found["more_probability"]) >= 0.8
    said = " ".join(str(comparison).split())
    assert "To separate A from B, or to show that they are practically equivalent, plan for" in said
    assert "No number" not in said


def test_said_in_a_report():
    comparison = bt.compare(bt.datasets.contingency_case("a"))
    assert "Fragile" not in str(comparison)  # which one item would have to overturn
    report = bt.report(comparison, format="markdown")
    assert "2 of the 14 non-tied items" in report
    assert "in 33% of cases by 20 non-tied items" in report
    many = bt.report(bt.compare(bt.counts.from_table(TABLE)), format="markdown")
    assert "More items" in many
    assert "Replication probability" in many


def simulated(d, e, units, more, rope, kept, draws=200_000):
    """The posterior of mean and spread, new units from it, and Student's t on them."""
    rng = np.random.default_rng(4)
    s = e * np.sqrt(units)
    variance = (units - 1) * s**2 / rng.chisquare(units - 1, draws)
    centre = d + np.sqrt(variance / units) * rng.standard_normal(draws)
    mean = centre + np.sqrt(variance / more) * rng.standard_normal(draws)
    squares = variance * rng.chisquare(more - 1, draws)
    n = more
    if kept:
        n = units + more
        squares = (units - 1) * s**2 + squares + units * more / n * (mean - d) ** 2
        mean = (units * d + more * mean) / n
    error = np.sqrt(squares / (n - 1) / n)
    ahead = stats.t.cdf(mean / error, n - 1)
    within = stats.t.cdf((rope - mean) / error, n - 1) - stats.t.cdf((-rope - mean) / error, n - 1)
    equal = (within >= 0.95) & (rope > 0)
    sides = (ahead >= 0.95) & ~equal, (ahead <= 0.05) & ~equal, equal
    return np.array([x.mean() for x in sides])


@pytest.mark.parametrize("kept", [True, False])
@pytest.mark.parametrize(
    "case", [(0.02, 0.015, 50, 100, 0.0), (0.0, 0.01, 12, 40, 0.02), (0.01, 0.01, 5, 3, 0.03)]
)
def test_units_by_simulation(case, kept):
    d, e, units, more, rope = case
    seen = Units(*(np.array([x]) for x in (d, e, units)))
    found = after_units(seen, more, rope, 0.95, kept=kept)[0]
    told = simulated(*case, kept)
    error = np.sqrt(np.maximum(told * (1 - told), 1e-5) / 200_000)
    assert (np.abs(found[:3] - told) < 4 * error).all()
    assert found.sum() == pytest.approx(1, abs=1e-12)


def test_units_today_swapped_and_at_last():
    seen = Units(
        np.array([0.02, -0.02, 0.0, 0.1]), np.array([0.01, 0.01, 0.002, 0.0]), np.full(4, 30)
    )
    now = after_units(seen, 0, 0.01, 0.95)
    assert now[:3].tolist() == [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]]
    assert np.isnan(now[3]).all()
    later = after_units(seen, 40, 0.01, 0.95)
    np.testing.assert_allclose(later[0], later[1][[1, 0, 2, 3]], atol=1e-14)
    last = after_units(seen, 10**9, 0.01, 0.95)[:3, :3]
    t = stats.t(seen.freedom[:3], seen.difference[:3], seen.error[:3])
    limit = np.stack([t.sf(0.01), t.cdf(-0.01), t.cdf(0.01) - t.cdf(-0.01)], axis=1)
    np.testing.assert_allclose(last, limit, atol=5e-3)


def test_of_units():
    rng = np.random.default_rng(0)
    values = rng.normal([0.3, 0, 0.05], 0.6, (60, 3))
    scores = xr.DataArray(values, dims=("item", "system"), coords={"system": ["A", "B", "C"]})
    found = bt.plan.outlook(bt.compare(scores, quantity="mean"))
    assert found.attrs["of"] == "items"
    for one in (found.data.isel(pair=k) for k in range(3)):
        a, b = (str(one[k].values) for k in ("system_a", "system_b"))
        apart = scores.sel(system=a).values - scores.sel(system=b).values
        seen = Units(*(np.array([x]) for x in (apart.mean(), apart.std(ddof=1) / 60**0.5, 60)))
        if str(one["now"].values) == "a_better":
            told = after_units(seen, 60, 0.0, 0.95, kept=False)[0, 0]
            assert float(one["replicates"]) == pytest.approx(told, abs=1e-6)
        else:
            then = after_units(seen, int(one["more_items"]), 0.0, 0.95)[0, :2].sum()
            assert float(one["more_probability"]) == pytest.approx(then, abs=1e-6)
    turned = (-scores).assign_attrs(higher_is_better=False)
    again = bt.plan.outlook(bt.compare(turned, quantity="mean"))
    np.testing.assert_allclose(again["replicates"], found["replicates"], atol=1e-9)
    np.testing.assert_array_equal(again["now"], found["now"])


def test_nothing_is_said_of_models_of_their_own_and_of_no_data():
    scores = xr.DataArray(
        [[1.0, np.nan], [np.nan, 1.0], [1.0, 0.0]],
        dims=("item", "system"),
        coords={"system": ["A", "B"]},
    )
    assert "more" in bt.plan.outlook(bt.compare(scores)).lines[0]
    with pytest.raises(ValueError, match="comparison is 3; give what"):
        bt.plan.outlook(3)
    with pytest.raises(ValueError, match="pairs hold A and C, which were not compared"):
        bt.plan.outlook(bt.compare(scores), pairs=[("A", "C")])
    with pytest.raises(ValueError, match="target is 2"):
        bt.plan.outlook(bt.compare(scores), target=2)


def test_of_some_pairs():
    comparison = bt.compare(bt.counts.from_table(TABLE))
    whole = bt.plan.outlook(comparison)
    some = bt.plan.outlook(comparison, pairs=[("C", "B"), ("A", "B")])
    assert some["n"].shape == (2,)
    for name in ("more_items", "decisive"):
        np.testing.assert_array_equal(some[name], whole[name].isel(pair=[2, 0]))


def graded():
    values = np.random.default_rng(0).normal([0.3, 0.1, 0.05], 0.6, (60, 3))
    labels = {"system": ["A", "B", "C"], "cluster": ("item", np.arange(60) // 3)}
    return xr.DataArray(values, dims=("item", "system"), coords=labels)


@pytest.mark.parametrize("rope", [0.0, 0.2])
def test_foresight_of_scores(rope):
    scores = graded()
    compared = bt.compare(scores, quantity="mean", rope=rope)
    now = bt.plan.foresee(scores, more=0, rope=rope)
    np.testing.assert_array_equal(now["now"].values, compared["pairwise_verdict"].values)
    for one in (scores, scores.drop_vars("cluster")):
        found = bt.plan.foresee(one, more=[0, 40], rope=rope)
        again = bt.plan.replication(one, n=40, rope=rope)
        parts = one.sel(system="A").values - one.sel(system="B").values
        if "cluster" in one.coords:
            parts = parts.reshape(20, 3).mean(1)
        k = parts.size
        seen = Units(*(np.array([x]) for x in (parts.mean(), parts.std(ddof=1) / k**0.5, k)))
        told = after_units(seen, 40, rope, 0.95)[0]
        pair = {"system_a": "A", "system_b": "B"}
        np.testing.assert_allclose(found["probability"].sel(pair | {"more": 40}), told, atol=1e-12)
        told = after_units(seen, 40, rope, 0.95, kept=False)[0]
        np.testing.assert_allclose(again["probability"].sel(pair), told, atol=1e-12)
        back = found["probability"].sel({"system_a": "B", "system_b": "A", "more": 40}).values
        whole = found["probability"].sel(pair | {"more": 40}).values
        np.testing.assert_allclose(back, whole[[1, 0, 2, 3]], atol=1e-14)
    two = scores.isel(system=[0, 1])
    unit = "clusters" if "cluster" in scores.coords else "items"
    assert f"after 40 more {unit}" in bt.plan.foresee(two, more=40, rope=rope).lines[1]
    assert "Probability to be undecided again on" in bt.plan.replication(two, rope=rope).lines[1]


def test_scores_of_which_lower_is_better():
    scores = graded()
    turned = (-scores).assign_attrs(higher_is_better=False)
    for function, how in ((bt.plan.foresee, {"until": 50}), (bt.plan.replication, {})):
        xr.testing.assert_allclose(
            function(turned, **how)["probability"], function(scores, **how)["probability"]
        )


def test_scores_that_are_counted_or_have_a_prior():
    right = xr.DataArray([[1, 0], [1, 1]], dims=("item", "system"), coords={"system": ["A", "B"]})
    with pytest.raises(ValueError, match=r"give bt.count\(scores\)"):
        bt.plan.foresee(right, more=3)
    with pytest.raises(ValueError, match="prior is of wins"):
        bt.plan.replication(graded(), prior=(1, 1, 1))
    with pytest.raises(ValueError, match="there are 20 items already"):
        bt.plan.foresee(graded(), until=10)


def test_a_comparison_of_clusters_or_means_is_not_planned_by_its_counts():
    rng = np.random.default_rng(0)
    clusters = [f"c{k % 12}" for k in range(60)]
    coords = {"system": ["a", "b"], "cluster": ("item", clusters)}
    scores = xr.DataArray(rng.normal(size=(60, 2)), dims=("item", "system"), coords=coords)
    graded = scores.drop_vars("cluster")
    for found, what in ((scores, "clusters"), ((scores > 0) * 1.0, "clusters"), (graded, "means")):
        comparison = bt.compare(found)
        for plan in (bt.plan.foresee, bt.plan.replication):
            with pytest.raises(ValueError, match=rf"comparison is of {what}.*pass the scores"):
                plan(comparison, **({"more": 20} if plan is bt.plan.foresee else {}))


def test_means_of_clusters_are_planned_in_clusters():
    rng = np.random.default_rng(0)
    coords = {"system": ["a", "b"], "cluster": ("item", [f"c{k % 12}" for k in range(60)])}
    scores = xr.DataArray(rng.normal(size=(60, 2)), dims=("item", "system"), coords=coords)
    first, second = bt.plan.foresee(scores, more=20).lines
    assert "12 clusters" in first
    assert "after 20 more clusters" in second
    assert "on 12 new clusters" in bt.plan.replication(scores).lines[1]
    table = " ".join(str(bt.plan.outlook(bt.compare(scores))).split())
    for heading in ("Number of", "More"):  # as the sentence says
        assert heading in table.partition("clusters would")[2]
    assert "items would" not in table
    assert "More items" not in table


def test_verdicts_of_pairs_alone_are_called_pairwise_next_to_a_joint_answer():
    random = np.random.default_rng(7)
    ease = random.normal(0, 1, 200)
    columns = [
        random.random(200) < 1 / (1 + np.exp(-(gap + ease))) for gap in (0.85, 0.45, 0.45, 0.5, 0.3)
    ]
    scores = xr.DataArray(
        np.stack(columns, axis=1).astype(int),
        dims=("item", "system"),
        coords={"system": list("abcdf")},
    )
    comparison = bt.compare(scores)
    assert "All 10 pairs are undecided" in " ".join(str(comparison).split())
    for plan in (bt.plan.outlook(comparison), bt.plan.fragility(comparison)):
        assert "Pairwise" in str(plan)
    lines = " ".join(bt.plan.outlook(comparison).lines)
    assert "Pairwise, a is better than f: flipping 3 of the 90 non-tied items" in lines
    two = bt.compare(scores.sel(system=["a", "f"]))
    assert "airwise" not in str(bt.plan.outlook(two)) + str(bt.plan.fragility(two))


def test_judged_items_have_no_fragility_by_their_labels_alone():
    judged = bt.models.judge.simulate(600, gold=50, rng=1)
    comparison = bt.compare(judged)
    assert "Judged items   Human labels   Non-tied items" in str(bt.plan.outlook(comparison))
    assert bt.plan.outlook(comparison).lines == ()
    with pytest.raises(ValueError, match="is of judged items"):
        bt.plan.fragility(comparison)
    assert "Items to flip" not in bt.report(comparison, format="markdown")


def test_counts_of_a_comparison_by_runs_or_a_model_are_refused():
    random = np.random.default_rng(0)
    rows = [(k, r, s, int(random.random() < p)) for k in range(40) for r in (1, 2) for s, p in PAIR]
    runs = bt.compare(
        bt.read(pd.DataFrame(rows, columns=["item", "run", "system", "score"]), run="run")
    )
    with pytest.raises(ValueError, match="is of means on units"):
        bt.plan.fragility(runs)
    votes = bt.counts.from_table({("A", "B"): (30, 12, 8), ("A", "C"): (25, 20, 5)})
    votes.attrs["unit"] = "judgment"
    with pytest.raises(ValueError, match="is by the model davidson"):
        bt.plan.fragility(bt.compare(votes, method="advised"))


PAIR = (("A", 0.8), ("B", 0.5))


def test_a_pair_that_more_items_may_split_is_promised_no_verdict():
    """A is ahead by a little on two items of three, and far behind on the third."""
    rng = np.random.default_rng(0)
    ahead = np.where(rng.random(24) < 0.68, rng.uniform(0, 0.1, 24), -rng.uniform(0.05, 0.5, 24))
    values = np.stack([0.5 + ahead, np.full(24, 0.5)], axis=1)
    coords = {"system": ["A", "B"]}
    scores = xr.DataArray(values, dims=("item", "system"), coords=coords)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        both, means = bt.compare(scores), bt.compare(scores, quantity="mean")
    assert both.statement()[0].startswith("Undecided")
    plan = bt.plan.outlook(both)
    assert np.isnan(plan["more_items"].values).all()
    assert plan["wins_and_means_differ"].values.all()
    assert "means and wins favor different systems" in plan.lines[0]
    assert "plan for" not in str(both)
    assert bt.plan.outlook(means)["more_items"].values > 0


def test_more_items_of_a_pair_without_its_ties_are_non_tied_items():
    """600 more non-tied items are 10,000 items, of which one in 17 is none."""
    counts = bt.counts.from_table({("A", "B"): (6, 6, 188)})
    dropped, third = (bt.compare(counts, ties=ties) for ties in ("drop", "third"))
    assert "600 more non-tied items would lead" in bt.plan.outlook(dropped).lines[0]
    assert "plan for about 600 more items that one of the two wins" in " ".join(
        str(dropped).split()
    )
    assert "10,000 more items would lead" in bt.plan.outlook(third).lines[0]


@pytest.mark.parametrize("ties", names.SPLIT_TIES)
def test_ties_that_count_as_wins_are_not_called_non_tied(ties):
    x = (np.random.default_rng(1).random((60, 2)) < [0.75, 0.4]).astype(float)
    comparison = bt.compare(x, systems=["A", "B"], ties=ties)
    texts = [str(plan(comparison)) for plan in (bt.plan.outlook, bt.plan.fragility)]
    assert f"ties={ties}" in texts[1]
    for text in (*texts, comparison.report()):
        assert "non-tied items would" not in text
        assert "Non-tied" not in text
        assert "discordant" not in text
    dropped = bt.compare(x, systems=["A", "B"], ties="drop").report()
    assert "Counted discordant items per pair" in dropped
    assert "non-tied" in dropped


def test_votes_are_planned_in_judgments():
    votes = {("A", "B"): (60, 30, 10), ("A", "C"): (55, 45, 10), ("B", "C"): (20, 22, 8)}
    comparison = bt.compare(bt.counts.from_table(votes, unit="judgment"))
    outlook = bt.plan.outlook(comparison)
    assert "of the 90 non-tied judgments would overturn" in outlook.lines[0]
    assert "more judgments would" in outlook.lines[1]
    assert "Items" not in str(outlook)
    report = " ".join(comparison.report().split())
    assert "More judgments: for a verdict" in report
    assert "the fewest non-tied judgments to leave out" in report
    for said in (*outlook.lines, report.partition("More judgments:")[2].partition("These ")[0]):
        assert "items" not in said
