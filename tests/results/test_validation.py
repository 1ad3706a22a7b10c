"""A loaded table that no function can have made is refused: where, which value, what is right."""

import numpy as np
import pytest
import xarray as xr

import betterthan as bt
from betterthan.results.comparison import Comparison
from betterthan.results.saved import validate, validate_attributes


def scores(systems, items=60, seed=1):
    solved = np.random.default_rng(seed).random((items, systems)) < np.linspace(0.3, 0.9, systems)
    return xr.DataArray(
        solved.astype(float),
        dims=("item", "system"),
        coords={"item": np.arange(items), "system": [f"s{k}" for k in range(systems)]},
    )


@pytest.fixture(scope="module")
def two():
    return bt.compare(bt.datasets.contingency_case("a")).data


@pytest.fixture(scope="module")
def many():
    return bt.compare(scores(4), rope=0.1, baseline="s0").data


def check(data):
    validate(data, "c.nc")
    validate_attributes(data, "c.nc")


def refusal(data):
    with pytest.raises(ValueError, match=r"^c\.nc: .*; (give|choose|every) .*$") as caught:
        check(data)
    said = str(caught.value)
    assert "\n" not in said
    return said.removeprefix("c.nc: ")


def changed(data, name, value, **place):
    """A copy with another value, which the reverse of the pair does not have."""
    other = data[name].copy()
    other.loc[place] = value
    return data.assign({name: other})


AB = {"system_a": "A", "system_b": "B"}


def test_loading_checks_what_a_valid_digest_covers(two, tmp_path):
    Comparison(changed(two, "prob_better", 7, **AB)).save(tmp_path / "c.nc")
    right = "give a probability within 0 and 1"
    with pytest.raises(ValueError, match=f"c.nc: prob_better at system_a 'A', .* is 7.0; {right}"):
        bt.load(tmp_path / "c.nc")
    both = Comparison(two, {"exact": changed(two, "mass", -1, **AB)})
    both.save(tmp_path / "c.nc")
    with pytest.raises(
        ValueError, match=r"mass at system_a 'A', .*'b_beyond' is -1.0; give a prob"
    ):
        bt.load(tmp_path / "c.nc")


def test_attributes_that_are_gone_are_refused_by_name(two):
    right = "which says how the answer was made; give a file that save wrote"
    assert refusal(two.drop_attrs()) == f"has no attribute answer, {right}"
    for name in ("version", "rope", "ci_prob", "ci_kind", "threshold", "alpha"):
        rest = {k: v for k, v in two.attrs.items() if k != name}
        assert refusal(two.drop_attrs().assign_attrs(rest)) == f"has no attribute {name}, {right}"


BETWEEN = "give a number between 0 and 1, both excluded"


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("n_items", "x", "attribute n_items is 'x'; give a whole number"),
        ("notes", np.array([1, 2]), "attribute notes is a ndarray; give text"),
        ("higher_is_better", "no", "attribute higher_is_better is 'no'; give 0 or 1"),
        ("prior", "flat", "attribute prior is 'flat'; give numbers"),
        ("ci_prob", 95, f"attribute ci_prob is 95; {BETWEEN}, such as 0.95 for 95%"),
        ("ci_kind", "q", "attribute ci_kind is 'q'; choose one of hdi, eti"),
        ("rope", -1, "attribute rope is -1; give a number of at least 0, in units of the score"),
        ("baseline", "s9", "attribute baseline is 's9'; choose one of s0, s1, s2, s3"),
    ],
)
def test_attributes_of_another_type_or_range_are_refused(many, name, value, said):
    assert refusal(many.assign_attrs({name: value})) == said


def test_a_variable_over_other_dims_is_refused(two):
    line = two["prob_better"].isel(system_b=0, drop=True)
    assert refusal(two.assign(prob_better=line)) == (
        "prob_better is over (system_a); give it over (system_a, system_b)"
    )
    turned = two.assign(verdict=two["verdict"].transpose())
    assert refusal(turned).startswith(
        "verdict is over (system_b, system_a); give it over (system_a"
    )
    counts = two.assign(counts=two["n"])
    assert refusal(counts).endswith("give it over (system_a, system_b, outcome)")
    assert refusal(two.drop_vars("system_b")).startswith("has no coordinate system_b; give it")


@pytest.mark.parametrize(
    ("name", "value", "right"),
    [
        ("prob_better", -0.1, "a probability within 0 and 1"),
        ("p_value", 1.5, "a probability within 0 and 1"),
        ("sign_error", 2.0, "a probability within 0 and 1"),
        ("counts", -1, "a whole number of at least 0"),
        ("n", -1, "a whole number of at least 0"),
        ("favours", 5, "-1, 0 or 1"),
        ("difference_mean", np.inf, "a finite number"),
        ("prob_better_mcse", -1.0, "an error of at least 0"),
        ("bayes_factor_01", -1.0, "a ratio of at least 0"),
        ("difference_lower", 0.5, "a number of at most difference_upper"),
        ("prob_better", 0.25, "1 less the probability of the pair reversed"),
    ],
)
def test_an_impossible_value_is_refused_where_it_is(two, name, value, right):
    said = refusal(changed(two, name, value, **AB))
    assert said.startswith(f"{name} at ")
    assert "system_a 'A', system_b 'B'" in said
    assert said.endswith(f" is {value}; give {right}")


def test_an_unknown_value_is_possible(two):
    nothing = changed(two, "difference_mean", np.nan, **AB)
    nothing = changed(changed(nothing, "p_value", np.nan, **AB), "prob_better", np.nan, **AB)
    check(nothing)


def test_values_of_another_type_are_refused(two):
    text = two.assign(n=(two["n"].dims, np.full((2, 2), "x")))
    assert refusal(text) == "n has dtype <U1; give a whole number of at least 0"
    wrong = changed(two.assign(verdict=two["verdict"].astype(object)), "verdict", "won", **AB)
    assert "is 'won'; give one of no_data, no_verdict, split" in refusal(wrong)


def test_labels_that_do_not_fit_are_refused(many):
    twice = many.assign_coords(system_a=["s0", "s0", "s2", "s3"])
    assert refusal(twice).startswith("system 's0' occurs more than once")
    other = many.assign_coords(system_b=["s0", "s1", "s2", "x"])
    assert refusal(other) == "system_b is (s0, s1, s2, x); give those of system_a, (s0, s1, s2, s3)"
    other = many.assign_coords(system=["s0", "s1", "s2", "x"])
    assert refusal(other).endswith("give those of system_a, (s0, s1, s2, s3)")
    assert refusal(many.assign_coords(region=["a", "b", "c"])).startswith("region is (a, b, c)")
    assert refusal(many.assign_coords(test=["x"])).startswith("test is (x); give some of (sign")


def test_a_label_that_a_terminal_would_act_on_is_printed_as_its_escape(many):
    message = refusal(many.assign_coords(region=["a", "\x1b[31m", "c"]))
    assert message.startswith(r"region is (a, \x1b[31m, c); give")


@pytest.mark.parametrize(
    "name", ["prob_better", "verdict", "pairwise_verdict", "rank_upper", "counts"]
)
def test_a_missing_variable_is_refused_by_name(many, name):
    assert refusal(many.drop_vars(name)).startswith(
        f"holds no comparison, for it has no variable {name}"
    )


def test_pairs_under_each_target_are_valid_and_checked():
    over = ("target", "pair")
    pairs = xr.Dataset(
        {"prob_better": (over, [[0.9, 0.5]] * 2), "verdict": (over, [["undecided"] * 2] * 2)},
        {"system_a": ("pair", ["A", "A"]), "system_b": ("pair", ["B", "C"])},
    ).assign_coords(target=["equal", "new"], pair=["A-B", "A-C"])
    validate(pairs, "c.nc")
    wrong = changed(pairs, "prob_better", 2, target="new", pair="A-C")
    assert refusal(wrong).startswith("prob_better at target 'new', pair 'A-C' is 2.0; give")
    assert refusal(pairs.drop_vars("system_b")).startswith("has no coordinate system_b; give it")
