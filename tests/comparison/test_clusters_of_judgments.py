"""Judgments that come in clusters: what a prompt, a ranking or a sentence says once is not said
twenty times.
"""

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy import optimize, sparse

import betterthan as bt
from betterthan.exact.wins import davidson as judged_clusters
from betterthan.exact.wins import davidson as newton
from betterthan.exact.wins.davidson import Meetings, Penalty
from betterthan.model_registry import spec_of
from betterthan.models import davidson, paired_judgments, shrinkage

PRIOR = judged_clusters.Prior(
    shrinkage.SHAPE, shrinkage.RATE, paired_judgments.PRIOR["davidson"], (0.0, 0.5)
)


def judged(systems, prompts, each, spread, seed):
    """Systems that are equally able over prompts, but not on any one of them."""
    random = np.random.default_rng(seed)
    own = spread * random.normal(size=(prompts, systems))
    prompt = np.repeat(np.arange(prompts), each)
    a = random.integers(systems, size=prompt.size)
    b = (a + random.integers(1, systems, size=prompt.size)) % systems
    d = own[prompt, a] - own[prompt, b]
    chance = np.exp(np.stack([d / 2, -d / 2, -0.3 + 0 * d], axis=-1))
    chance /= chance.sum(-1, keepdims=True)
    at = (random.random(prompt.size)[:, None] > chance.cumsum(-1)).sum(-1)
    columns = {"system_a": a, "system_b": b}
    found = {k: ("judgment", [f"s{x}" for x in v]) for k, v in columns.items()}
    found["outcome"] = ("judgment", np.array([1, -1, 0])[at])
    coords = {"cluster": ("judgment", [f"p{k}" for k in prompt])}
    return xr.Dataset(found, coords)


def alone(data):
    """The same, as if each judgment had a prompt of its own."""
    return data.assign_coords(cluster=("judgment", np.arange(data.sizes["judgment"]).astype(str)))


def verdict(data, seed, by_cluster=davidson.by_cluster):
    found = by_cluster(data, draws=1000, rng=seed)["verdict"].values[0, 1]
    return found in ("a_better", "b_better")


def test_equal_systems_on_prompts_that_differ():
    """Of independent judgments more than a fifth; by prompt near to one tenth, its target."""
    sets = [judged(2, 10, 20, 1.0, seed) for seed in range(120)]
    by_prompt = np.mean([verdict(data, k) for k, data in enumerate(sets)])
    independent = np.mean([verdict(alone(data), k) for k, data in enumerate(sets[:60])])
    assert independent > 0.2
    assert by_prompt < 0.1 + 3 * np.sqrt(0.09 / len(sets))


def test_closed_form_counts_judgments_within_their_clusters():
    data = judged(3, 12, 15, 1.0, 5)
    answer, by_cluster = bt.compare(data), bt.compare(bt.count(data, by="cluster"))
    xr.testing.assert_equal(answer.data["prob_better"], by_cluster.data["prob_better"])
    assert "180 judgments in 12 clusters" in " ".join(str(answer).split())


def test_closed_form_of_equal_systems_on_prompts_that_differ():
    """A verdict in about 10 of 100, and not in a third of them, as of independent judgments."""
    sets = [judged(2, 10, 20, 1.0, seed) for seed in range(200)]
    verdicts = np.array([bt.compare(data).data["verdict"].values[0, 1] for data in sets])
    decided = np.isin(verdicts, ["a_better", "b_better"]).mean()
    assert decided < 0.1 + 3 * np.sqrt(0.09 / len(sets))
    with pytest.warns(UserWarning, match="items come in clusters"):
        pooled = [bt.compare(data, unit="item") for data in sets[:60]]
    named = [answer.data["verdict"].values[0, 1] in ("a_better", "b_better") for answer in pooled]
    assert np.mean(named) > 0.2


def test_advised_model_takes_the_clusters_itself():
    advised = bt.compare(judged(2, 12, 15, 1.0, 5), method="advised", rng=1)
    assert advised.provenance.model == "davidson_by_cluster"


def test_single_cluster_of_judgments_is_pooled():
    data = judged(2, 1, 40, 0.0, 2)
    assert "On 40 judgments:" in " ".join(str(bt.compare(data)).split())


def test_a_difference_on_every_prompt_is_found():
    data = judged(3, 20, 30, 0.3, 1)
    ahead = (data["system_a"] == "s0") | (data["system_b"] == "s0")
    side = xr.where(data["system_a"] == "s0", 1, -1)
    lucky = np.random.default_rng(2).random(data.sizes["judgment"]) < 0.6
    data["outcome"] = xr.where(ahead & lucky, side, data["outcome"])
    found = davidson.by_cluster(data, rng=1)
    assert (found["verdict"].sel(system_a="s0", system_b=["s1", "s2"]) == "a_better").all()
    assert found["prob_best"].sel(system="s0") > 0.99


def test_design_effect_is_that_of_copies():
    """Every judgment of one prompt five times over: a variance five times that of independent ones;
    and of independent ones about 1.
    """
    data = judged(4, 400, 1, 0.0, 3)
    five = xr.concat([data] * 5, "judgment")
    found = davidson.by_cluster(five, draws=200, rng=1)
    assert found["design_effect"].values == pytest.approx(5.0, rel=0.25)
    once = davidson.by_cluster(data, draws=200, rng=1)
    assert once["design_effect"].values == pytest.approx(1.0, rel=0.25)
    # five copies are worth as much as one, and are answered so
    wide = [(f["upper"] - f["lower"]).values for f in (found, once)]
    assert wide[0] == pytest.approx(wide[1], rel=0.15)


@pytest.mark.parametrize("place", [False, True])
def test_newton_agrees_with_an_optimiser(place):
    random = np.random.default_rng(4)
    pairs = [(a, b) for a in range(5) for b in range(5) if a < b or (place and a != b)]
    a, b = (np.array(x) for x in zip(*pairs, strict=True))
    meet = Meetings(a, b, 5, place)
    counts = random.integers(0, 6, size=(3, 3, len(pairs))) * random.exponential(size=(3, 1, 1))
    penalty = Penalty(random.normal(size=(1, meet.parameters)), np.full((1, meet.parameters), 0.7))
    found = newton.fit(counts, meet, penalty, np.zeros((1, meet.parameters)))
    for table, x in zip(counts, found, strict=True):
        best = optimize.minimize(
            lambda t, table=table: -_likelihood(t, table, pairs, penalty, place),
            np.zeros(meet.parameters),
            method="BFGS",
            options={"gtol": 1e-8},
        )
        assert x == pytest.approx(best.x, abs=1e-5)


def _likelihood(x, table, pairs, penalty, place):
    """As it is printed: win : loss : tie = exp(d / 2) : exp(-d / 2) : exp(tie)."""
    total = -0.5 * float((penalty.precision[0] * (x - penalty.centre[0]) ** 2).sum())
    for k, (a, b) in enumerate(pairs):
        d = x[a] - x[b] + (x[6] if place else 0.0)
        log = np.array([d / 2, -d / 2, x[5]])
        total += table[:, k] @ (log - np.log(np.exp(log).sum()))
    return total


def test_nothing_but_wins_has_a_fit():
    """The prior alone holds it."""
    meet = Meetings(np.array([0]), np.array([1]), 2)
    penalty = Penalty(np.zeros((1, 3)), np.full((1, 3), 0.1))
    counts = np.array([[[500.0], [0.0], [0.0]]])
    x = newton.fit(counts, meet, penalty, np.zeros((1, 3)))[0]
    assert x[0] == pytest.approx(-x[1])
    assert 2 < x[0] < 20
    slope = newton.curved(x[None], counts, meet, penalty).slope
    assert slope == pytest.approx(0.0, abs=1e-6)


@pytest.mark.sampled
def test_independent_judgments_are_answered_as_the_model_answers_them():
    """Judgments each of its own prompt: the posterior of PyMC."""
    data = davidson.simulate(4, judgments=300, rng=5)
    posterior = davidson.fit(data, rng=1, predictive=False)["posterior"].to_dataset()
    found = davidson.by_cluster(alone(data), rng=1)
    sd = posterior["ability"].std(("chain", "draw")).values
    apart = found["ability"].values - posterior["ability"].mean(("chain", "draw")).values
    assert np.abs(apart / sd).max() < 0.25
    ends = posterior["ability"].quantile([0.025, 0.975], dim=("chain", "draw"))
    assert (found["upper"] - found["lower"]).values == pytest.approx(
        (ends[1] - ends[0]).values, rel=0.15
    )


def test_a_system_in_one_prompt_alone_has_no_data():
    data = judged(3, 12, 10, 0.5, 6)
    rare = data["system_a"].isin(["s2"]) | data["system_b"].isin(["s2"])
    kept = data.isel(judgment=np.flatnonzero(~rare.values | (data["cluster"].values == "p0")))
    with pytest.warns(
        UserWarning, match=r"'s2' is little more than a guess: judged in 1 of cluster"
    ):
        found = davidson.by_cluster(kept, draws=200, rng=1)
    verdicts = found["verdict"]
    assert verdicts.sel(system_a="s0", system_b="s2") == "no_data"
    assert verdicts.sel(system_a="s0", system_b="s1") != "no_data"


def test_bad_judgments():
    data = judged(3, 12, 10, 0.5, 6)
    one = data.assign_coords(cluster=("judgment", ["p"] * data.sizes["judgment"]))
    with pytest.raises(ValueError, match="all judgments have the same cluster, 'p'; two or more"):
        davidson.by_cluster(one)
    with pytest.raises(ValueError, match="the judgments have no cluster"):
        davidson.by_cluster(data.drop_vars("cluster"))
    with pytest.raises(ValueError, match="by is 'item'"):
        davidson.by_cluster(data, by="item")
    with pytest.raises(ValueError, match="one by one are needed to see their clusters"):
        davidson.by_cluster(bt.count(data))


def test_the_same_seed_and_other_names_of_prompts_give_the_same_draws():
    data = judged(4, 12, 10, 0.5, 7)
    renamed = data.assign_coords(cluster=("judgment", [f"x{c}" for c in data["cluster"].values]))
    one, two = (davidson.by_cluster(d, draws=300, rng=3) for d in (data, renamed))
    xr.testing.assert_equal(one.data, two.data)


def test_an_answer_says_how_it_was_made_and_is_kept(tmp_path):
    found = davidson.by_cluster(judged(3, 12, 10, 0.5, 7), draws=300, rng=3)
    assert (found.provenance.model, found.provenance.unit, found.provenance.draws) == (
        "davidson_by_cluster",
        "cluster",
        300,
    )
    assert found.attrs["n_clusters"] == 12
    assert "model=davidson_by_cluster" in found.signature()
    found.save(tmp_path / "found.nc")
    xr.testing.assert_equal(bt.load(tmp_path / "found.nc").data, found.data)


def test_chunks_do_not_change_draws(monkeypatch):
    data = judged(3, 8, 10, 0.5, 8)
    whole = davidson.by_cluster(data, draws=300, rng=3)
    monkeypatch.setattr(judged_clusters, "_NUMBERS", 2**11)
    xr.testing.assert_allclose(davidson.by_cluster(data, draws=300, rng=3).data, whole.data)


def test_a_place_effect_is_for_who_asks():
    """Judgments in which the first place wins: not said unless asked."""
    data = davidson.simulate(3, judgments=60, judges=3, rng=1)
    found = bt.advise(data).loaded
    assert "position" not in spec_of("davidson").options(found)
    data["outcome"] = xr.ones_like(data["outcome"])
    data = data.assign_coords(cluster=("judgment", data["judge"].values))
    plain = davidson.by_cluster(alone(data), draws=500, rng=1)
    with pytest.warns(UserWarning, match="the system shown first won all of 60 judgments that are"):
        placed = davidson.by_cluster(alone(data), position=True, draws=500, rng=1)
    assert (plain.attrs["position"], placed.attrs["position"]) == (0, 1)
    assert np.abs(placed["ability"].values).max() < np.abs(plain["ability"].values).max() + 0.2


def test_sparse_counts_are_the_judgments():
    from betterthan.counts.judgments import rows_by_cluster

    data = judged(4, 6, 15, 0.5, 9)
    rows, counts = rows_by_cluster(data, by="cluster", position=False)
    assert isinstance(counts, sparse.csr_array)
    total = counts.sum(0).reshape(3, -1).T
    np.testing.assert_array_equal(total, rows.counts)
    assert counts.sum(1).tolist() == [15.0] * 6


@pytest.mark.parametrize(("judges", "warned"), [(1, False), (3, True), (20, True), (21, False)])
def test_several_judgments_of_each_judge_are_warned_of(judges, warned):
    data = judged(2, 60, 1, 0.5, 1).drop_vars("cluster")
    names = [f"j{k}" for k in np.arange(60) % judges]
    data = data.assign_coords(judge=("judgment", names))
    text = " ".join(str(bt.compare(data)).split())
    assert (f"60 judgments by {judges} judges count as independent" in text) == warned
    by_judge = bt.compare(data.assign_coords(cluster=("judgment", names)))
    assert "count as independent" not in str(by_judge) or judges == 1
    if judges == 3:
        with pytest.warns(UserWarning, match="little more than a guess"):
            advised = bt.compare(data, method="advised", rng=1)
        assert "! The uncertainty is that of 3 judges, and" in " ".join(str(advised).split())


ALL_BY = "! All judgments are by 3 judges. If judges differ in what they prefer, the answer is too"


@pytest.mark.parametrize("method", ["exact", "advised"])
def test_clusters_of_few_judges_say_so_unless_they_hold_the_judges(method):
    data = judged(2, 20, 3, 0.5, 1)
    by_prompt = data.assign_coords(judge=("judgment", [f"j{k % 3}" for k in range(60)]))
    assert ALL_BY in " ".join(str(bt.compare(by_prompt, method=method)).split())
    within = data.assign_coords(judge=("judgment", [f"j{k // 3}" for k in range(60)]))
    assert "judges" not in str(bt.compare(within, method=method))


def test_a_judge_of_most_judgments_is_worth_few_judges():
    names = ["busy"] * 30 + [f"j{k}" for k in range(30)]
    data = judged(2, 60, 1, 0.5, 1).drop_vars("cluster")
    data = data.assign_coords(judge=("judgment", names))
    assert "60 judgments by 31 judges count as independent" in str(bt.compare(data))
    text = " ".join(str(bt.compare(data, method="advised", rng=1)).split())
    assert "! The uncertainty is that of 31 judges, worth 4 of as many judgments each, and" in text


def test_votes_of_few_judges_are_not_independent():
    random = np.random.default_rng(1)
    frame = pd.DataFrame({"model_a": "A", "model_b": "B", "winner": random.choice([*"AB"], 60)})
    frame["judge"] = [f"w{k % 6}" for k in range(60)]
    with pytest.warns(UserWarning, match=r"60 votes are by 6 judges; .* cluster='judge'"):
        comparison = bt.compare(frame)
    assert "! 60 votes are by 6 judges; if these differ in what they prefer, votes" in str(
        comparison
    )
    bt.read(frame.assign(judge=range(60)))  # no warning
    assert bt.compare(frame, layout="judgments", cluster="judge").data.attrs["n_units"] == 6


def test_judgments_are_read_with_the_column_of_their_clusters():
    random = np.random.default_rng(1)
    frame = pd.DataFrame({"model_a": "A", "model_b": "B", "winner": random.choice([*"AB"], 60)})
    frame["who"] = [f"w{k % 6}" for k in range(60)]
    compared = bt.compare(frame, layout="judgments", cluster="who")
    wanted = bt.compare(bt.io.read_judgments(frame, cluster="who"))
    np.testing.assert_array_equal(compared["prob_better"], wanted["prob_better"])
    assert compared.data.attrs["n_units"] == 6
    with pytest.raises(ValueError, match="was read as votes; pass layout='judgments', too"):
        bt.compare(frame, cluster="who")
    with pytest.raises(ValueError, match="run='who' is for scores and TP/FP/FN counts"):
        bt.compare(frame, layout="judgments", run="who")


def test_a_report_does_not_call_judgments_independent_where_judges_are():
    votes = davidson.simulate(3, judgments=300, judges=15, rng=2)
    report = " ".join(bt.compare(votes, method="advised", rng=1).report().split())
    assert "Judges, or clusters of judgments, are treated as independent, not judgm" in report
    assert "Judgments are treated as independent" not in report
    assert "Judgments are treated as independent" in " ".join(bt.compare(votes).report().split())


def test_equal_systems_before_one_busy_judge():
    """A verdict in at most a tenth; counted as 91 alike judges, it was a quarter."""
    verdicts, random = 0, np.random.default_rng(3)
    for seed in range(40):
        taste = random.normal(size=91)[[0] * 150 + list(range(1, 91))]
        won = (random.random(240) < 1 / (1 + np.exp(-taste))) * 2 - 1
        columns = {name: ("judgment", [name[-1]] * 240) for name in ("system_a", "system_b")}
        clusters = np.repeat(np.arange(91), [150] + [1] * 90).astype(str)
        data = xr.Dataset(
            columns | {"outcome": ("judgment", won)}, {"cluster": ("judgment", clusters)}
        )
        verdicts += verdict(data, seed)
    assert verdicts <= 4
