"""Scores in blocks say what they say in memory, whatever the blocks; each is read once."""

import math
import warnings
from fractions import Fraction

import numpy as np
import pytest
import xarray as xr
from scale.made_blocks import graded, labelled, right_or_wrong, watched
from scipy import special

import betterthan as bt
from betterthan.blocks import lazy as of_lazy

N = 9_000
KINDS = {
    "int8": (right_or_wrong(N, 6), {}),
    "int8 with gaps": (right_or_wrong(N, 6, missing=0.1), {"missing_value": -1}),
    "float with gaps": (
        np.where((x := right_or_wrong(N, 6, missing=0.1)) < 0, np.nan, x.astype(float)),
        {},
    ),
    "lower": (right_or_wrong(N, 6).astype(np.float32), {"higher_is_better": False}),
    "lower with gaps": (
        right_or_wrong(N, 3, missing=0.001),
        {"missing_value": -1, "higher_is_better": False},
    ),
    "levels": (np.round(graded(N, 6) * 3).astype(np.int16), {}),
    "graded": (graded(N, 6, missing=0.05), {}),
    "graded, lower": (graded(N, 6), {"higher_is_better": False}),
}


def in_memory(kind):
    values, attrs = KINDS[kind]
    kept = {k: v for k, v in attrs.items() if k != "missing_value"}
    values = np.where(values == -1, np.nan, values) if "missing_value" in attrs else values
    return labelled(values, **kept)


@pytest.mark.parametrize("missing", ["pairwise", "complete", "wrong"])
@pytest.mark.parametrize("kind", KINDS)
def test_counts_are_those_in_memory_and_each_block_is_read_once(kind, missing):
    values, attrs = KINDS[kind]
    if missing == "wrong" and kind == "graded":  # scores above 1 have no wrong
        for scores in (in_memory(kind), watched(values, 1000, **attrs)[0]):
            with pytest.raises(ValueError, match="wrong"):
                bt.count(scores, missing=missing)
        return
    whole = bt.count(in_memory(kind), missing=missing)
    for rows in (1000, N):
        lazy, read = watched(values, rows, **attrs)
        found = bt.count(lazy, missing=missing)
        np.testing.assert_array_equal(found.values, whole.values)
        np.testing.assert_array_equal(found["n_dropped"].values, whole["n_dropped"].values)
        assert found.dtype == np.int64
        assert read.most() == 1
        assert found.attrs["missing"] == missing


def test_margin():
    values = graded(5000, 4)
    whole = bt.count(labelled(values), margin=0.1)
    assert whole.identical(bt.count(watched(values, 999)[0], margin=0.1))


def test_scores_within_rounding_of_a_larger_one_elsewhere_tie_as_in_memory():
    values = np.array([[0.5, 0.5 + 4e-14], [1.0, 0.0], [100.0, 0.0]])
    whole = bt.count(labelled(values))
    assert whole.sel(system_a="s0", system_b="s1").values.tolist() == [2, 0, 1]
    lazy, read = watched(values, 1)
    assert whole.identical(bt.count(lazy))
    assert read.most() == 2  # which is told


def with_verdicts(of, whole):
    """Where verdicts are not withheld, as in memory alone: blocks are not searched for a reason."""
    known = "reason" in whole and "system_a" in of.dims and of.dtype.kind in "fUb"
    return of.where(whole["reason"] == "") if known else of


@pytest.mark.parametrize("kind", KINDS)
def test_compare_says_what_it_says_in_memory_and_reads_right_or_wrong_once(kind):
    values, attrs = KINDS[kind]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of an audit, which blocks do not have
        whole = bt.compare(in_memory(kind), tests="sign", rng=1).data
    answers = []
    for rows in (2500, 8192):
        lazy, read = watched(values, rows, **attrs)
        answers.append(bt.compare(lazy, tests="sign", rng=1).data)
        graded = not np.isin(values[~np.isnan(values.astype(float))], (-1, 0, 1)).all()
        assert read.most() == 1 + graded
    only_in_memory = {"prob_better_if_wrong", "verdict_if_wrong", "missing_differs", "reason"}
    only_in_memory |= {"item_score", "item_spread", "item_with_rest", "n_differing"}
    only_in_memory |= {"friedman_statistic", "friedman_p", "friedman_n"}
    if "score_sd" in whole:
        only_in_memory |= {"score_sd", "score_quantile", "score_worst_tenth"}
    if kind == "graded":
        only_in_memory |= {"n_missing", "missing_holds", "counts_worst", "missing_probability"}
    assert set(whole.data_vars) - only_in_memory == set(answers[0].data_vars)
    for name in answers[0].data_vars:
        told, again, here = (with_verdicts(of[name], whole) for of in (*answers, whole))
        if told.dtype.kind == "f":
            np.testing.assert_allclose(told, again, rtol=0, atol=1e-12)
            # sums one item after the other, in memory, are off by some 1e-12: see the next test
            np.testing.assert_allclose(told, here, rtol=0, atol=1e-11)
        else:
            xr.testing.assert_equal(told.variable, here.variable)
            xr.testing.assert_equal(told.variable, again.variable)
    assert answers[0].attrs["data_hash"] == answers[1].attrs["data_hash"]
    differ = {"data_hash", "notes", "audit", "bounds"}
    assert {k: v for k, v in answers[0].attrs.items() if k not in differ} == {
        k: v for k, v in whole.attrs.items() if k not in differ
    }


def test_graded_pairs_are_those_of_fractions():
    values = graded(3000, 3)
    lazy, _ = watched(values, 700)
    told = (
        bt.compare(lazy, quantity="mean", tests="sign", rng=1).data["pairwise_prob_better"].values
    )
    n = len(values)
    for a, b in ((0, 1), (0, 2), (1, 2)):
        apart = [Fraction(x) - Fraction(y) for x, y in values[:, [a, b]].tolist()]
        mean = sum(apart) / n
        squares = sum((x - mean) ** 2 for x in apart)
        t = float(mean) / math.sqrt(float(squares) / (n * (n - 1)))
        g = float(sum((x - mean) ** 3 for x in apart) / n) / (float(squares) / n) ** 1.5
        hall = t + g * t**2 / (3 * n**0.5) + g**2 * t**3 / (27 * n) + g / (6 * n**0.5)
        p = special.stdtr(n - 1, [t, hall])
        expected = sorted([*p, 0.5])[1]  # the one nearer to 1/2
        assert told[a, b] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("scale", [1, 5])
def test_systems_that_are_alike_on_every_item_have_the_masses_of_memory(scale):
    values = np.repeat(scale * np.linspace(0.2, 0.7, 30)[:, None], 2, axis=1)
    lazy, whole = watched(values, 7)[0], labelled(values)
    masses = [bt.compare(data, rope=0.05 * scale)["mass"].values[0, 1] for data in (lazy, whole)]
    np.testing.assert_allclose(*masses, atol=1e-12)
    assert 0.5 < masses[0][1] < 0.99


@pytest.mark.parametrize("scale", [1, 100])
def test_a_skeptical_prior_is_on_the_scale_of_the_scores(scale):
    values = scale * graded(200, 2)
    choices = {"prior": "skeptical", "rope": 0.05 * scale, "quantity": "mean"}
    lazy, whole = (
        bt.compare(data, **choices).data for data in (watched(values, 70)[0], labelled(values))
    )
    for name in ("prob_better", "mass", "difference_lower", "difference_upper"):
        np.testing.assert_allclose(lazy[name], whole[name], rtol=1e-9)


@pytest.mark.parametrize("kind", [bool, np.uint8, np.float32, np.int64])
def test_any_kind_of_number(kind):
    values = right_or_wrong(300, 3).astype(kind)
    told = bt.compare(watched(values, 70)[0], rng=1).data
    whole = bt.compare(labelled(values), rng=1).data
    np.testing.assert_array_equal(told["counts"], whole["counts"])
    np.testing.assert_allclose(told["prob_better"], whole["prob_better"], rtol=0, atol=1e-12)


@pytest.mark.parametrize("make", [right_or_wrong, graded])
def test_a_system_without_a_score(make):
    values = make(300, 3).astype(float)
    values[:, 1] = np.nan
    told = bt.compare(watched(values, 70)[0], tests="sign", rng=1).data
    assert told["verdict"].sel(system_a="s0", system_b="s1").item() == "no_data"
    assert np.isnan(told["score"].sel(system="s1"))
    assert told.attrs["no_joint"].startswith("scores are missing")


def test_two_systems_of_right_and_wrong_need_one_reading():
    lazy, read = watched(right_or_wrong(5000, 2), 1000)
    found = bt.compare(lazy, rope=0.01)
    assert read.most() == 1
    assert "read in blocks" in str(found.data.attrs["notes"])


def test_a_tie_policy_and_some_of_the_systems():
    values = right_or_wrong(5000, 4)
    chosen = {"ties": "all", "systems": ["s2", "s0"], "rng": 1}
    whole = bt.compare(labelled(values), **chosen).data
    told = bt.compare(watched(values, 700)[0], **chosen).data
    for name in ("prob_better_by_ties", "verdict_by_ties", "counts", "p_value"):
        np.testing.assert_array_equal(told[name], whole[name])


@pytest.mark.parametrize("ahead", [0.0, 0.25])
def test_twins_and_a_system_ahead_by_a_constant(ahead):
    one = graded(3000, 1)
    values = np.concatenate([one, one + ahead], axis=1)
    whole = bt.compare(labelled(values), quantity="mean", tests="sign", rng=1).data
    told = bt.compare(watched(values, 500)[0], quantity="mean", tests="sign", rng=1).data
    for name in ("prob_better", "difference_mean", "difference_lower"):
        np.testing.assert_allclose(told[name], whole[name], atol=1e-12)


def test_the_fingerprint_tells_numbers_apart():
    values = right_or_wrong(5000, 3)
    marks = set()
    for k in range(4):
        other = values.copy()
        other[k, 0] ^= k > 0
        marks.add(bt.compare(watched(other, 512)[0]).data.attrs["data_hash"])
    marks.add(bt.compare(watched(values[::-1].copy(), 512)[0]).data.attrs["data_hash"])
    assert len(marks) == 5


def code(values, **attrs):
    return watched(np.array(values, dtype=np.int8), 2, **attrs)[0]


BAD = {
    "a code that nobody named": (
        lambda: bt.count(code([[0, 1], [1, 0], [1, -1]])),
        r"the score of item 2 and 's1' is -1 in int8: .* attrs\['missing_value'\] = -1",
    ),
    "a code that int8 cannot be": (
        lambda: bt.count(code([[0, 1]], missing_value=999)),
        r"attrs\['missing_value'\] is 999, which no int8 can be",
    ),
    "infinite": (
        lambda: bt.count(watched(np.array([[0.0, 1.0], [np.inf, 0.0]]), 1)[0]),
        "the score of item 1 and 's0' is infinite",
    ),
    "missing": (
        lambda: bt.count(code([[0, 1], [1, -1]], missing_value=-1), missing="error"),
        "item 1 has no score for 's1'",
    ),
    "wrong beyond 1": (
        lambda: bt.count(code([[0, 5], [1, -1]], missing_value=-1), missing="wrong"),
        "missing='wrong' needs scores within 0 and 1; these run from 0 to 5",
    ),
    "none complete": (
        lambda: bt.count(code([[0, -1], [-1, 1]], missing_value=-1), missing="complete"),
        "no item has a score for every system",
    ),
    "blocks over systems": (
        lambda: bt.count(labelled(right_or_wrong(10, 4)).chunk(system=2)),
        r"cut over systems \(2 blocks of at most 2\).*chunk\(system=-1\)",
    ),
    "no shared item": (
        lambda: bt.count(code([[0, -1], [-1, 1]], missing_value=-1)),
        "'s0' and 's1' have no item in common",
    ),
    "an item twice": (
        lambda: bt.compare(code([[0, 1], [1, 0], [1, 1]]).assign_coords(item=["a", "b", "a"])),
        "item 'a' occurs more than once; give each item one row",
    ),
    "by": (
        lambda: bt.count(code([[0, 1]]), by="dataset"),
        "by='dataset' needs scores in memory",
    ),
    "clusters": (
        lambda: bt.compare(code([[0, 1], [1, 0]]).assign_coords(cluster=("item", ["a", "b"]))),
        "coordinate 'cluster', and of scores in blocks each row is an example",
    ),
    "advised": (
        lambda: bt.compare(code([[0, 1], [1, 0]]), method="advised"),
        "scores in blocks are answered in closed form",
    ),
    "tallies": (
        lambda: bt.compare(code([[0, 1]]).expand_dims(tally=["tp", "fp", "fn"])),
        r"data in blocks have dims \(tally, item, system\)",
    ),
}


@pytest.mark.parametrize("what", BAD)
def test_refusals_are_one_line(what):
    call, words = BAD[what]
    with pytest.raises(ValueError, match=words) as caught:
        call()
    assert "\n" not in str(caught.value)


def test_huge_blocks_are_refused_before_any_is_read(monkeypatch):
    monkeypatch.setattr(of_lazy, "MOST", 2**16)
    lazy, read = watched(graded(5000, 4), 5000)
    with pytest.raises(ValueError, match=r"5,000 items x 4 systems of float64 takes 0 MB.*chunk"):
        bt.count(lazy)
    assert not read.starts


def test_a_code_of_missing_scores_is_no_score_in_memory_either():
    coded = labelled(right_or_wrong(N, 6, missing=0.1), missing_value=-1)
    plain = coded.where(coded >= 0).astype(float).drop_attrs()
    for answer in (bt.compare, bt.sign_test):
        first, second = answer(coded), answer(plain)
        key = "prob_better" if answer is bt.compare else "p_value"
        np.testing.assert_array_equal(first[key], second[key])
    np.testing.assert_array_equal(bt.count(coded), bt.count(plain))
