"""What is said beside a number is true: reasons, withheld answers, names, sources."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import betterthan as bt
from betterthan.exact.wins.dirichlet import prob_above, prob_below, prob_within
from betterthan.exact.wins.sign import sign_mid_p, sign_p
from betterthan.model_registry import ROSTER
from betterthan.results.methods import ENGINES
from betterthan.results.significance_tables import REASONS, reasons
from betterthan.signed import Signature

# random counts of each system are of no common gold
pytestmark = pytest.mark.filterwarnings("ignore:The gold mentions")

PAIR = {"system_a": "A", "system_b": "B"}


def why(counts, **choices):
    found = bt.compare(bt.counts.from_table({("A", "B"): counts}), **choices)
    return reasons(found.data.sel(PAIR), Signature.from_attrs(found.attrs))


def test_30_to_18_is_one_side_against_two():
    """p .111, one-sided .056, mid-p .082 and one-sided .041: halving the step alone is not it."""
    assert sign_p(30, 18).round(3) == 0.111
    assert sign_mid_p(30, 18) > 0.05
    assert sign_mid_p(30, 18) / 2 < 0.05
    assert why((30, 18, 5)) == ["sides"]
    assert "one side" in REASONS["sides"]


@pytest.mark.parametrize("threshold", [0.9, 0.95, 0.99])
@pytest.mark.parametrize("alpha", [0.01, 0.05])
def test_every_reason_is_true_of_the_counts(threshold, alpha):
    tests = bt.significance.Tests("sign", alpha=alpha)
    for n in (5, 12, 25):
        for wins in range(n // 2 + 1, n + 1, 2):
            found = why((wins, n - wins, 2), threshold=threshold, tests=tests)
            p, mid = (float(test(wins, n - wins)) for test in (sign_p, sign_mid_p))
            for reason in found:
                assert reason in ("few", "sides", "levels", "prior")
                if reason == "few":
                    assert 2 * 0.5**n > alpha
                elif reason == "sides":
                    assert mid / 2 <= alpha < p
                elif reason == "levels":
                    assert not np.isclose(1 - threshold, alpha)


def test_probabilities_of_a_difference_far_out_are_no_zeros():
    """By mpmath, 40 digits."""
    for found, expected in (
        (prob_above(211, 201, 591, 0.7), 5.18735225568e-281),
        (prob_below(201, 211, 591, -0.7), 5.18735225568e-281),
        (prob_above(211, 201, 591, 0.68), 5.65854526716e-261),
        (prob_below(2000, 250, 50, 0.12), None),
        (prob_within(960, 1, 3, 0.02), 1.96412701612e-281),
    ):
        assert found > 0
        if expected:
            assert found == pytest.approx(expected, rel=1e-10)


def withheld():
    """A comparison whose chains did not converge."""
    found = bt.compare(bt.counts.from_table({("A", "B"): (20, 3, 5)}))
    data = found.data.copy()
    data["verdict"] = data["verdict"].astype(object)
    data["verdict"].loc[PAIR] = "no_verdict"
    data["verdict"].loc[{"system_a": "B", "system_b": "A"}] = "no_verdict"
    data["verdict"] = data["verdict"].astype(str)
    data.attrs |= {"failures": "R-hat of theta is 1.2."}
    return type(found)(data)


def test_no_interval_stands_where_the_verdict_is_withheld():
    found = withheld()
    interval = f"[{found['difference_lower'].sel(PAIR).item():+.2f}"
    assert interval in str(bt.compare(bt.counts.from_table({("A", "B"): (20, 3, 5)})))
    assert interval not in str(found)
    report = bt.report(found)
    assert interval not in report
    assert "> 0.999" not in report.partition("Posterior and tests")[0]


def test_no_interval_of_a_score_stands_where_the_verdict_is_withheld():
    values = np.random.default_rng(1).multinomial(1, (0.6, 0.2, 0.2), (30, 2, 2))
    values[8:, :, 1] = 0  # the second label has eight items at most
    coords = {"system": ["A", "B"], "label": ["x", "y"], "tally": ["tp", "fp", "fn"]}
    tallies = xr.DataArray(values, dims=("item", "system", "label", "tally"), coords=coords)
    with pytest.warns(UserWarning, match="there is no verdict below 15"):
        found = bt.scores.compare(tallies, statistic="macro_f1", rng=1, draws=500)
    text = " ".join(bt.report(found).split())
    assert "No verdict on B and A: these labels have too few items: y (6)." in text
    assert "is better than that of" not in text


def test_the_bootstrap_has_one_name():
    rng = np.random.default_rng(2)
    values = (rng.random((80, 3)) < [0.4, 0.5, 0.6]).astype(float)
    scores = xr.DataArray(values, dims=("item", "system"), coords={"system": list("ABC")})
    found = bt.compare(scores, rng=1)
    named = found.provenance.joint_model
    assert named is None or named in {spec.name for spec in ROSTER}
    assert set(ENGINES) <= {spec.name for spec in ROSTER} | {"exact", "mcmc"}


def test_trials_keep_their_source():
    rows = [
        {"item": f"q{k}", "system": s, "successes": (k + j) % 4, "trials": 4}
        for k in range(12)
        for j, s in enumerate("AB")
    ]
    frame = pd.DataFrame(
        [
            {"item": f"q{k}", "epoch": e, "A": (k + e) % 2, "B": k % 2}
            for k in range(12)
            for e in range(3)
        ]
    )
    read = bt.read(frame)
    for trials, source in (
        (bt.counts.trials_from_table(pd.DataFrame(rows)), "DataFrame read as trials: 12 items"),
        (bt.counts.trials(read), read.attrs["reading"][:30]),
    ):
        report = " ".join(bt.report(bt.compare(trials)).split())
        assert source in report
        assert "counts given" not in report


def test_what_was_given_is_called_what_it_is():
    scores = xr.DataArray(np.eye(2), dims=("item", "system"), coords={"system": ["A", "B"]})
    assert "scores given" in bt.report(bt.compare(scores))
    assert "counts given" in bt.report(bt.compare(bt.counts.from_table({("A", "B"): (2, 1, 0)})))
