"""Which two systems had errors least alike; and metrics that rank systems otherwise."""

import itertools

import numpy as np
import pytest
import xarray as xr
from scipy import stats

import betterthan as bt
from betterthan.auditing.item_checks import _rank_agreement, other_winner
from betterthan.auditing.run_checks import most_different_pair, tail
from tests.logs import made_inspect


@pytest.mark.parametrize("more", [(1, 2), (4, 18), (30, 40), (500, 500)])
@pytest.mark.parametrize("less", [(0, 18), (1, 18), (3, 400)])
def test_the_tail_is_that_of_fisher(more, less):
    (a, n), (b, m) = more, less
    wanted = stats.fisher_exact([[a, n - a], [b, m - b]], alternative="greater").pvalue
    assert tail(more, less) == pytest.approx(wanted, rel=1e-9)


def test_of_all_pairs_the_least_probable_is_taken():
    counts = {"a": (4, 18), "b": (1, 2), "c": (0, 18), "d": (0, 3), "e": (9, 60)}
    p = {
        (x, y): stats.fisher_exact(
            [[n, of - n] for n, of in (counts[x], counts[y])], alternative="greater"
        ).pvalue
        for x, y in itertools.permutations(counts, 2)
    }
    assert most_different_pair(counts) == min(p, key=lambda pair: p[pair])
    assert most_different_pair({"a": (1, 6), "b": (2, 12)}) is None


def test_the_audit_names_the_two(tmp_path):
    for model, failed in (("a", 1), ("b", 4), ("c", 0)):
        samples = [made_inspect.summary(f"q{k}", None, error="x") for k in range(failed)]
        samples += [made_inspect.summary(f"q{k}", 1) for k in range(failed, 6)]
        head = made_inspect.header(model, [f"q{k}" for k in range(6)], eval__task_id=model)
        made_inspect.eval_log(tmp_path / f"{model}.eval", head, samples)
    found = bt.audit(tmp_path).findings
    (said,) = found.loc[found["code"] == "errors", "message"]
    assert (
        said
        == "runs that ended in an error: a 1 of 6, b 4 of 6; largest difference: b 4 of 6, c 0 of 6"
    )


@pytest.mark.parametrize("b", [[1, 2, 3, 4], [4, 3, 2, 1], [1, 1, 2, 2], [2, 1, 1, 3]])
def test_metrics_agree_as_kendall_says(b):
    a = [0.1, 0.4, 0.4, 0.9]
    tau = _rank_agreement(np.array(a), np.array(b))[2]
    assert tau == pytest.approx(stats.kendalltau(a, b).statistic)


def scores(*means):
    values, systems = np.tile(means, (4, 1)), ["a", "b", "c"][: len(means)]
    return xr.DataArray(values, dims=("item", "system"), coords={"system": systems})


def test_other_ranks_of_three_systems_are_told():

    (same,) = other_winner({"acc": scores(0.9, 0.5, 0.4), "f1": scores(0.8, 0.2, 0.3)})
    assert same.message == (
        "acc and f1 rank systems differently; 1 of 3 pairs of systems has the opposite order, "
        "tau 0.33"
    )
    (other,) = other_winner({"acc": scores(0.9, 0.5, 0.4), "f1": scores(0.1, 0.2, 0.3)})
    assert other.message.endswith(
        "a by acc, c by f1; 3 of 3 pairs of systems have the opposite order, tau -1.00"
    )
    assert not list(other_winner({"acc": scores(0.9, 0.5, 0.4), "f1": scores(3, 2, 1)}))


def test_metrics_rank_systems_by_items_and_not_by_runs():
    """a was run three times more on the items it fails."""
    coords = {"item": [*"qrrrr"], "system": ["a", "b"], "epoch": ("item", [1, 1, 2, 3, 4])}
    values = [[1.0, 0.4], [0.0, 0.4], *[[0.0, np.nan]] * 3]
    runs = xr.DataArray(values, coords, ("item", "system"))
    assert not list(other_winner({"x": runs, "y": scores(0.9, 0.5)}))
