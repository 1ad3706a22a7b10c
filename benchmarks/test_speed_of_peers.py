"""The same question put to packages of the field; where they answer less it is said."""

import time
import warnings

import numpy as np
import pytest
import xarray as xr

import betterthan as bt

CHOIX = "abilities of 59 systems, 8,931 votes, beside choix"
EVALICA = "the same beside evalica"
RESAMPLED = "the same beside evalica's bootstrap"
MLXTEND = "accuracy, 1,000 items, beside mlxtend"
BAYCOMP = "signed rank of 50 data sets, beside baycomp"
BAMBI = "abilities of 8 systems on 381 items, beside bambi"
FIT = {"rng": 1, "predictive": False}


@pytest.fixture(scope="module")
def votes():
    return bt.models.davidson.simulate(systems=59, judgments=8931, rng=0)


def abilities(found):
    return found["posterior"]["ability"].mean(("chain", "draw")).values


@pytest.mark.parametrize("who", ["instead", "ours"])
@pytest.mark.benchmark(group=CHOIX)
def test_choix(benchmark, votes, who):
    choix = pytest.importorskip("choix")
    labels = {name: k for k, name in enumerate(votes["system"].values.tolist())}
    first, second = ([labels[s] for s in votes[f"system_{k}"].values.tolist()] for k in "ab")
    said = votes["outcome"].values.tolist()
    won = [(a, b) if x > 0 else (b, a) for a, b, x in zip(first, second, said, strict=True) if x]
    if who == "ours":
        benchmark.pedantic(bt.models.davidson.fit, (votes,), FIT)
        return
    benchmark.extra_info["what"] = "`choix.ilsr_pairwise`: points, ties left out"
    point = choix.ilsr_pairwise(59, won, alpha=0.01)
    assert np.corrcoef(point, abilities(bt.models.davidson.fit(votes, **FIT)))[0, 1] > 0.99
    benchmark.pedantic(choix.ilsr_pairwise, (59, won), {"alpha": 0.01}, rounds=2)


@pytest.mark.parametrize("who", ["instead", "ours"])
@pytest.mark.parametrize("group", [EVALICA, RESAMPLED])
@pytest.mark.benchmark
def test_evalica(benchmark, votes, group, who):
    evalica = pytest.importorskip("evalica")
    benchmark.group = group
    winner = {1: evalica.Winner.X, -1: evalica.Winner.Y, 0: evalica.Winner.Draw}
    given = [votes[f"system_{k}"].values.tolist() for k in "ab"]
    given.append([winner[x] for x in votes["outcome"].values.tolist()])
    if who == "ours":
        benchmark.pedantic(bt.models.davidson.fit, (votes,), FIT)
        return
    if group == EVALICA:
        benchmark.extra_info["what"] = "`evalica.bradley_terry`: points, ties half"
        point = np.log(evalica.bradley_terry(*given).scores[votes["system"].values])
        assert np.corrcoef(point, abilities(bt.models.davidson.fit(votes, **FIT)))[0, 1] > 0.99
        benchmark.pedantic(evalica.bradley_terry, given, rounds=2)
        return
    benchmark.extra_info["what"] = "`evalica.bootstrap`, percentile, 1,000 resamples: intervals"
    how = {"bootstrap_method": "percentile", "random_state": 1}
    benchmark.pedantic(evalica.bootstrap, (evalica.bradley_terry, *given), how)


@pytest.mark.parametrize("who", ["instead", "ours"])
@pytest.mark.benchmark(group=MLXTEND)
def test_mlxtend(benchmark, who):
    evaluate = pytest.importorskip("mlxtend.evaluate")
    random = np.random.default_rng(3)
    right = (random.random((1000, 2)) < [0.7, 0.67]).astype(float)
    if who == "ours":
        benchmark.extra_info["note"] = "ours is exact"
        scores = xr.DataArray(right, dims=("item", "system"), coords={"system": ["A", "B"]})
        benchmark.pedantic(bt.randomization_test, (scores,), rounds=20, warmup_rounds=1)
        return
    benchmark.extra_info["what"] = "`mlxtend.evaluate.permutation_test`, paired, 1,000 shuffles"
    how = {"method": "approximate", "num_rounds": 1000, "paired": True, "seed": 1}
    benchmark.pedantic(evaluate.permutation_test, tuple(right.T), how)


@pytest.mark.parametrize("who", ["instead", "ours"])
@pytest.mark.benchmark(group=BAYCOMP)
def test_baycomp(benchmark, who):
    baycomp = pytest.importorskip("baycomp")
    random = np.random.default_rng(4)
    values = random.normal(0.8, 0.05, (50, 1)) + random.normal([0.01, 0], 0.02, (50, 2))
    scores = xr.DataArray(values, dims=("item", "system"), coords={"system": ["A", "B"]})
    how = {"rope": 0.01, "draws": 50_000, "rng": 1}
    if who == "ours":
        benchmark.pedantic(bt.scores.signed_rank, (scores,), how, rounds=2)
        return
    benchmark.extra_info["what"] = "`baycomp.SignedRankTest.probs`, as many draws"
    theirs = baycomp.SignedRankTest.probs(*values.T, rope=0.01)
    mine = bt.scores.signed_rank(scores, **how)["mass"].values[0, 1]
    assert np.abs(np.array(theirs)[::-1] - mine).max() < 0.02
    benchmark.pedantic(baycomp.SignedRankTest.probs, tuple(values.T), {"rope": 0.01}, rounds=2)


@pytest.mark.sampled
@pytest.mark.parametrize("who", ["instead", "ours"])
@pytest.mark.once
@pytest.mark.benchmark(group=BAMBI, timer=time.perf_counter)
def test_bambi(benchmark, who):
    import arviz as az

    bambi = pytest.importorskip("bambi")
    data = bt.models.item_response.simulate(381, systems=8, rng=1)
    right = data["successes"].transpose("item", "system")
    rows = right.to_dataframe(name="right").reset_index().astype({"item": str})

    def effective(draw, name):
        start = time.perf_counter()
        posterior = draw()["posterior"].to_dataset()
        spent = time.perf_counter() - start
        benchmark.extra_info["ess_per_second"] = (
            float(az.ess(posterior[[name]])[name].min()) / spent
        )

    def obvious():
        model = bambi.Model("right ~ 0 + system + (1 | item)", rows, family="bernoulli")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return model.fit(
                draws=1000, tune=1000, chains=4, cores=1, random_seed=1, progressbar=False
            )

    if who == "ours":
        fit = bt.models.item_response.fit
        benchmark.pedantic(effective, (lambda: fit(right, **FIT), "ability"))
        return
    benchmark.extra_info["what"] = "`right ~ 0 + system + (1 | item)` of bambi, 4 x 1,000 draws"
    benchmark.pedantic(effective, (obvious, "system"))
