import warnings

import arviz as az
import numpy as np
import pytest
import xarray as xr

import betterthan as bt
from betterthan.models import clustered

TABLE = {("A", "B"): (30, 12, 40), ("A", "C"): (25, 5, 30), ("B", "C"): (10, 14, 20)}
PAIRS = ["A vs B", "A vs C", "B vs C"]
OUTCOMES = ["win", "loss", "tie"]
DIMS = {"theta": ["pair", "outcome"], "p": ["pair"], "difference": ["pair"]}
SAMPLES = ("chain", "draw")


@pytest.fixture(scope="module")
def square():
    return bt.counts.from_table(TABLE)


@pytest.fixture(scope="module")
def by_pair(square):
    return bt.counts.to_pairs(square)


@pytest.fixture(scope="module")
def theta():
    random = np.random.default_rng(1)
    cells = [random.dirichlet(np.array(n) + 1.0, size=(4, 1000)) for n in TABLE.values()]
    return np.stack(cells, axis=2)


@pytest.fixture(scope="module")
def difference(theta):
    return theta[..., 0] - theta[..., 1]


@pytest.fixture(scope="module")
def p(theta):
    return theta[..., 0] / (theta[..., 0] + theta[..., 1])


def own(pairs=PAIRS, outcomes=OUTCOMES, dims=None, coords=None, **variables):
    """A tree of a user's own model."""
    named = {"pair": pairs, "outcome": outcomes}
    return az.from_dict(
        {"posterior": variables},
        dims={k: v for k, v in (DIMS | (dims or {})).items() if k in variables},
        coords={k: v for k, v in named.items() if v is not None} | (coords or {}),
    )


def refused(match, *args):
    with pytest.raises(ValueError, match=match) as error:
        bt.fits.adopt(*args)
    assert "\n" not in str(error.value)


def near(answer, exact):
    """Within Monte Carlo error of the closed form, in both triangles."""
    assert answer.dims == exact.dims
    close = np.abs(answer.values - exact.values) <= 5 * answer["mcse"].values + 1e-12
    assert close[of_two(answer)].all()


def of_two(answer):
    """All places but those of a system against itself."""
    if answer.dims[0] == "pair":
        return np.ones(len(answer), bool)
    return ~np.eye(len(answer), dtype=bool)


# what is adopted


@pytest.mark.parametrize("name", ["theta", "p", "difference"])
@pytest.mark.parametrize("shape", ["none", "square", "by_pair"])
def test_each_variable_answers_as_the_closed_form(name, shape, request, square, by_pair):
    draws = request.getfixturevalue(name)
    counts = {"none": None, "square": square, "by_pair": by_pair}[shape]
    tree = bt.fits.adopt(own(**{name: draws}), counts)
    near(bt.prob_better(tree), bt.prob_better(square if counts is None else counts))
    attrs = tree["posterior"].attrs
    assert attrs["model"] == "adopted model"
    assert attrs["square"] == (shape != "by_pair")
    assert ("difference" in tree["posterior"]) == (name != "p")


def test_pairs_come_in_the_order_of_the_counts(theta, square):
    shuffled = own(theta=theta[:, :, [2, 0, 1]], pairs=[PAIRS[k] for k in (2, 0, 1)])
    shuffled["constant_data"] = xr.Dataset({"n": ("pair", [44, 82, 60])})
    tree = bt.fits.adopt(shuffled, square)
    near(bt.prob_better(tree), bt.prob_better(square))
    assert tree["posterior"]["pair"].values.tolist() == PAIRS
    assert tree["constant_data"]["n"].values.tolist() == [82, 60, 44]


def test_pairs_without_labels_take_those_of_the_counts(theta, square):
    near(
        bt.prob_better(bt.fits.adopt(own(theta=theta, pairs=None), square)), bt.prob_better(square)
    )
    refused("pairs have no labels, so their systems are not known", own(theta=theta, pairs=None))


def test_some_pairs_are_answered_by_pair(p):
    tree = bt.fits.adopt(own(p=p[..., :2], pairs=["B vs A", "C vs D"]))
    assert bt.prob_better(tree).dims == ("pair",)
    assert tree["posterior"]["system_a"].values.tolist() == ["B", "C"]


# all pairs of three systems, in another order, or some of them from the other side
OTHERWISE = [
    ["B vs C", "A vs C", "A vs B"],
    ["A vs C", "B vs C", "A vs B"],
    ["B vs A", "A vs C", "B vs C"],
    ["C vs B", "B vs A", "A vs C"],
    ["B vs A", "C vs A", "C vs B"],
]


@pytest.mark.parametrize("pairs", OTHERWISE)
@pytest.mark.parametrize("name", ["theta", "p", "difference"])
@pytest.mark.parametrize("given", [False, True])
def test_all_pairs_in_any_order_and_direction_are_a_square(pairs, name, given, request, square):
    draws = request.getfixturevalue(name)
    turned = {"theta": lambda x: x[..., [1, 0, 2]], "p": lambda x: 1 - x, "difference": np.negative}
    columns = []
    for pair in pairs:
        column = draws[:, :, PAIRS.index(" vs ".join(sorted(pair.split(" vs "))))]
        columns.append(column if pair in PAIRS else turned[name](column))
    tree = own(**{name: np.stack(columns, axis=2)}, pairs=pairs)
    tree = bt.fits.adopt(tree, square) if given else bt.fits.adopt(tree)
    found = bt.prob_better(tree)
    assert found.dims == ("system_a", "system_b")
    near(found.sel(system_a=list("ABC"), system_b=list("ABC")), bt.prob_better(square))
    if name != "p":
        size = bt.difference(tree)["mean"].sel(system_a="A", system_b="C")
        assert size.item() == pytest.approx(20 / 63, abs=0.02)
    else:
        share = bt.posterior.decisive(tree)["mean"].sel(system_a="A", system_b="C")
        assert share.item() == pytest.approx(26 / 32, abs=0.02)
    for counts in (square, bt.counts.to_pairs(square)):
        checked = bt.fits.cross_check(counts, tree, prior=(1, 1, 1))
        assert checked["agrees"].all()
        assert checked["exact"].sel(system_a="A", system_b="C").item() > 0.99
    assert bt.fits.compare(tree)["verdict"].sel(system_a="A", system_b="C") == "a_better"


def test_pairs_that_are_not_all_are_answered_by_pair(p):
    for pairs in (["A vs B", "B vs C", "C vs D"], ["A vs B", "A vs C", "A vs D"]):
        assert bt.prob_better(bt.fits.adopt(own(p=p, pairs=pairs))).dims == ("pair",)


def test_systems_as_coordinates_name_the_pairs(p):
    tree = own(p=p, pairs=["x", "y", "z"])
    systems = {"system_a": ("pair", ["A", "A", "B"]), "system_b": ("pair", ["B", "C", "C"])}
    tree["posterior"] = tree["posterior"].to_dataset().assign_coords(systems)
    assert bt.fits.adopt(tree)["posterior"]["pair"].values.tolist() == PAIRS


def test_names_that_hold_vs_come_from_counts(p):
    counts = bt.counts.from_table({("x vs y", "z"): (30, 12, 40)})
    tree = own(p=p[..., :1], pairs=["x vs y vs z"])
    answer = bt.prob_better(bt.fits.adopt(tree, counts))
    assert answer["system_a"].values.tolist() == ["x vs y", "z"]
    refused("'x vs y vs z' does not name two systems; label pairs as 'A vs B', or give", tree)


def test_judged_counts_name_the_pairs(p):
    judged = bt.judged.from_table({("A", "B"): ([[18, 2, 5], [3, 9, 4], [4, 3, 12]], [90, 90, 90])})
    tree = bt.fits.adopt(own(p=p[..., :1], pairs=None), judged)
    assert bt.prob_better(tree)["pair"].values.tolist() == ["A vs B"]
    assert bt.fits.cross_check(judged, tree, prior=(1, 1, 1)).attrs["model"] == "judge"


def test_outcomes_in_another_order_are_sorted(theta, square, difference):
    turned = own(theta=theta[..., [2, 0, 1]], outcomes=["tie", "win", "loss"])
    near(bt.prob_better(bt.fits.adopt(turned)), bt.prob_better(square))
    both = own(theta=theta[..., [2, 0, 1]], outcomes=["tie", "win", "loss"], difference=difference)
    kept = bt.fits.adopt(both)["posterior"]["theta"]
    assert kept["outcome"].values.tolist() == OUTCOMES
    assert np.array_equal(kept.values, theta)


def test_dims_in_another_order_are_sorted(theta, square):
    tree = own(theta=theta)
    tree["posterior"] = tree["posterior"].to_dataset().transpose("outcome", "pair", ...)
    near(bt.prob_better(bt.fits.adopt(tree)), bt.prob_better(square))


def test_adopting_leaves_its_argument_and_the_other_groups(theta, square):
    tree = own(theta=theta)
    tree["sample_stats"] = xr.Dataset({"diverging": (SAMPLES, np.zeros((4, 1000), bool))})
    before = tree.copy(deep=True)
    found = bt.fits.adopt(tree, square)
    assert tree.identical(before)
    assert found["sample_stats"].to_dataset().identical(before["sample_stats"].to_dataset())


@pytest.mark.parametrize("shape", ["square", "by_pair"])
def test_adopting_twice_is_adopting_once(theta, shape, square, by_pair):
    counts = {"square": square, "by_pair": by_pair}[shape]
    once = bt.fits.adopt(own(theta=theta), counts)
    assert bt.fits.adopt(once).identical(once)
    assert bt.fits.adopt(once, counts).identical(once)


def test_an_adopted_tree_survives_netcdf(theta, tmp_path, square):
    tree = bt.fits.adopt(own(theta=theta), square)
    tree.to_netcdf(tmp_path / "own.nc", engine="h5netcdf")
    with xr.open_datatree(tmp_path / "own.nc", engine="h5netcdf") as back:
        assert str(bt.fits.compare(back)) == str(bt.fits.compare(tree))
        near(bt.prob_better(back), bt.prob_better(square))


def test_weights_that_are_not_to_be_trusted_stay_so(theta, by_pair):
    tree = own(theta=theta)
    tree["posterior"].attrs |= {"pareto_k": 0.9, "weights_ess": 900.0}
    assert not adopted(tree, by_pair)[1].passed


# what is refused


def test_no_posterior_is_refused(p):
    refused("idata is a Dataset without a group posterior", own(p=p)["posterior"].to_dataset())
    refused(
        "idata is a DataTree without a group posterior",
        xr.DataTree.from_dict({"prior": xr.Dataset({"p": ("pair", [0.5])})}),
    )


@pytest.mark.filterwarnings("ignore:Found chain dimension")
def test_no_draws_and_no_pairs_are_refused(p):
    refused("idata has no draws: group posterior has no dim 'draw' with values", own(p=p[:, :0]))
    mean = xr.DataTree.from_dict({"posterior": xr.Dataset({"p": ("pair", [0.5])})})
    refused("no dim 'chain' with values", mean)
    refused("idata has no pairs: dim 'pair' of", own(p=p[..., :0], pairs=np.array([], str)))


def test_a_tree_without_what_answers_hears_what_to_add(p, difference):
    add = r"give theta \(pair, outcome\).*pm.Deterministic\('difference'"
    refused(rf"idata has mu \(\) in group posterior; {add}", own(mu=p[..., 0]))
    refused(
        rf"idata has theta \(system\) in group posterior; {add}",
        own(theta=p, dims={"theta": ["system"]}),
    )
    refused(
        rf"idata has p \(pair\), difference \(dataset\) in group posterior; {add}",
        own(p=p, difference=difference, dims={"difference": ["dataset"]}),
    )


@pytest.mark.parametrize("name", ["theta", "p", "difference"])
def test_nan_is_refused_with_its_place(name, request):
    draws = request.getfixturevalue(name).copy()
    draws[(1, 7, 2)] = np.nan
    refused(f"{name} is nan at chain 1, draw 7, pair B vs C", own(**{name: draws}))


def test_what_is_no_probability_is_refused(theta, p, difference):
    refused(r"p is 1\.4\d+ at chain 0, draw 0, pair A vs B; give prob", own(p=p * 2))
    refused(r"theta adds up to 1 only within 0\.1; give the prob", own(theta=theta * 0.9))
    refused("p is of dtype <U5; give numbers", own(p=(p > 0.5).astype(str)))
    refused("theta is 1", own(theta=theta * 3, difference=difference))  # also where it is second
    refused("p is 2", own(p=p * 3, difference=difference))


def test_outcomes_without_names_are_refused(theta):
    refused(
        "theta has outcomes 0, 1, 2; give the coordinate outcome", own(theta=theta, outcomes=None)
    )
    refused("theta has outcomes a, b, c; give the", own(theta=theta, outcomes=["a", "b", "c"]))


def test_other_pairs_than_the_counts_are_refused(p, by_pair, square):
    alone = "idata has 3 pairs and the counts 2: 'B vs C' is in idata alone"
    refused(alone, own(p=p), by_pair.isel(pair=[0, 1]))
    alone = "idata has 2 pairs and the counts 3: 'B vs C' is in the counts alone"
    refused(alone, own(p=p[..., :2], pairs=PAIRS[:2]), by_pair)
    around = r"idata has the pair 'B vs A', the counts have it the other way .*counts\.to_square"
    refused(around, own(p=p, pairs=["B vs A", *PAIRS[1:]]), by_pair)
    refused("'A vs B' 2 times; give it once", own(p=p, pairs=["A vs B", *PAIRS[:2]]), square)


def test_a_pair_that_comes_twice_is_refused(p):
    refused(
        "the pair A and B is there 2 times; give it once",
        own(p=p, pairs=["A vs B", "B vs A", "B vs C"]),
    )
    refused("'A' is compared with itself", own(p=p, pairs=["A vs A", *PAIRS[1:]]))


def test_renamed_pairs_are_refused(p, square):
    tree = own(p=p, pairs=["C vs B", *PAIRS[1:]])
    a, b = np.eye(3)[[0, 0, 1]], np.eye(3)[[1, 2, 2]]
    tree["constant_data"] = xr.Dataset(
        {"is_a": (("pair", "system_a"), a), "is_b": (("pair", "system_b"), b)},
        {"pair": PAIRS, "system_a": ["A", "B", "C"], "system_b": ["A", "B", "C"]},
    )
    refused("pairs 'C vs B', 'A vs C', ..., constant_data has 'A vs B'.*were renamed", tree)
    refused("were renamed; give counts whose pairs have the new names", tree, square)


def test_pairs_in_another_order_than_the_data_take_their_data_along(theta, square):
    tree = own(theta=theta)
    a, b = np.eye(3)[[0, 0, 1]], np.eye(3)[[1, 2, 2]]
    data = {"is_a": (("pair", "system_a"), a), "is_b": (("pair", "system_b"), b)}
    data["counts"] = (("pair", "outcome"), bt.counts.to_pairs(square).values)
    coords = {"pair": PAIRS, "outcome": OUTCOMES, "system_a": list("ABC"), "system_b": list("ABC")}
    tree["constant_data"] = xr.Dataset(data, coords)
    for order in ([2, 1, 0], [1, 2]):
        picked = tree.copy()
        picked["posterior"] = tree["posterior"].to_dataset().isel(pair=order)
        adopted = bt.fits.adopt(picked)
        assert adopted["posterior"]["pair"].values.tolist() == [PAIRS[k] for k in order]
        n = bt.fits.compare(adopted)["n"]
        assert (n.sel(system_a="A", system_b="C") if len(order) == 3 else n[0]) == 60


def test_a_dim_that_is_to_be_a_coordinate_is_refused(p):
    tree = own(
        p=p, strength=p, dims={"strength": ["system_a"]}, coords={"system_a": ["A", "B", "C"]}
    )
    refused("group posterior has a dim 'system_a', which here is a coordinate of pair", tree)


def test_counts_by_a_further_dim_are_refused(p, by_pair):
    refused("counts have dims", own(p=p), by_pair.expand_dims(cluster=["c"]))


# whether it converged


def adopted(tree, counts=None):
    """The tree, and its diagnosis: where a check fails, adopting warns of it once, in one line."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        found = bt.fits.adopt(tree, counts)
    diagnosis = bt.fits.diagnose(found)
    failed = [] if diagnosis.passed else [f"not converged: {' '.join(diagnosis.failures)}"]
    assert [str(one.message) for one in seen] == failed
    assert all(one.filename == __file__ and "\n" not in str(one.message) for one in seen)
    return found, diagnosis


def diagnosed(**variables):
    return adopted(own(**variables))[1]


def without_verdicts(tree):
    with pytest.warns(UserWarning, match="no verdict"):
        found = bt.fits.compare(tree)
    off = found["verdict"].values[~np.eye(3, dtype=bool)]
    assert set(off) == {"no_verdict"}
    assert str(found).startswith("No verdict: ")
    assert "better\n" not in str(found).split("verdict", 2)[-1]
    return found


def test_one_chain_gives_no_verdict(p):
    found = diagnosed(p=p[:1])
    assert len(found.failures) == 1  # and not that one chain disagrees
    assert "Only 1 chain was drawn" in found.failures[0]
    without_verdicts(adopted(own(p=p[:1]))[0])


@pytest.mark.parametrize("name", ["theta", "p", "difference"])
def test_chains_that_disagree_give_no_verdict(name, request):
    draws = request.getfixturevalue(name).copy()
    draws[0] = draws[0][:, [2, 1, 0]]
    tree, diagnosis = adopted(own(**{name: draws}))
    first = "p" if name == "p" else "difference"
    assert f"R-hat of {first}" in diagnosis.failures[0]
    without_verdicts(tree)


def test_a_difference_is_looked_at_beside_other_variables(difference):
    draws = difference.copy()
    draws[0] -= 1
    found = diagnosed(difference=draws, mu=np.random.default_rng(2).normal(size=(4, 1000)))
    assert not found.passed
    assert "R-hat of difference" in found.failures[0]


def test_other_variables_that_vary_are_looked_at(p):
    drifting = np.random.default_rng(2).normal(size=(4, 1000)) + np.arange(4)[:, None]
    assert "R-hat of mu" in diagnosed(p=p, mu=drifting).failures[0]


def test_constants_of_the_user_do_not_fail(theta, difference):
    constant = np.ones((4, 1000))
    assert diagnosed(theta=theta, scale=constant).passed
    assert diagnosed(difference=difference, scale=constant).passed
    matrix = np.random.default_rng(2).uniform(size=(4, 1000, 2, 2))
    matrix[..., [0, 1], [0, 1]] = 1  # of correlations, a diagonal
    assert diagnosed(difference=difference, correlations=matrix).passed
    assert diagnosed(difference=difference, ahead=difference > -2).passed


@pytest.mark.parametrize("part", [slice(None), slice(1, 2)])
def test_constant_answers_fail(theta, part):
    stuck = theta.copy()
    stuck[:, :, part] = [0.5, 0.3, 0.2]
    assert "R-hat of theta" in diagnosed(theta=stuck).failures[0]


@pytest.mark.parametrize(("value", "shown"), [(np.nan, "NaN"), (np.inf, "inf")])
def test_what_no_answer_depends_on_may_hold_nan(p, value, shown):
    loss = p.copy()
    loss[2, 17, 1] = value
    tree = bt.fits.adopt(own(p=p, loss=loss, dims={"loss": ["pair"]}))
    found = bt.fits.diagnose(tree)
    assert found.passed, found.failures
    said = f"loss holds {shown} at chain 2, draw 17, pair A vs C, which was not checked."
    assert said in found.unchecked
    assert said in str(bt.fits.compare(tree))
    loss[..., 2] = np.arange(4)[:, None]  # what is finite of it is looked at
    assert "R-hat of loss" in diagnosed(p=p, loss=loss).failures[0]


def test_copied_chains_fail(p):
    assert "Chains 0 and 2 hold the same draws" in diagnosed(p=p[[0, 1, 0]]).failures[0]


@pytest.mark.parametrize("labelled", [True, False])
def test_counts_of_other_data_than_the_model_had_are_refused(labelled):
    counts = bt.counts.from_table({("A", "B"): (18, 9, 13)})
    tree = bt.posterior.draws(counts, rng=1)
    held = counts.isel(system_a=0, system_b=1).values
    tree["constant_data"] = xr.Dataset({"counts": (("pair", "outcome"), held[None])})
    other = bt.counts.from_table({("A", "B"): (9, 180, 130)})
    if not labelled:
        tree["posterior"] = tree["posterior"].to_dataset().drop_vars("pair")
    bt.fits.adopt(tree, counts)
    with pytest.raises(ValueError, match=r"from 18, 9, 13 for the pair A vs B, .* 9, 180, 130;"):
        bt.fits.adopt(tree, other)


def test_pairs_without_labels_are_those_of_the_observed_counts():
    """Of a model with dims and no coordinates the order of its data names the pairs."""
    table = {("A", "B"): (30, 5, 5), ("A", "C"): (12, 13, 15), ("B", "C"): (4, 28, 8)}
    rng = np.random.default_rng(0)
    theta = np.stack(
        [rng.dirichlet(np.array(row) + 1, size=(4, 1000)) for row in table.values()], axis=2
    )
    tree = own(theta=theta)
    tree["posterior"] = tree["posterior"].to_dataset().drop_vars("pair")
    tree["observed_data"] = xr.Dataset({"y": (("pair", "outcome"), list(table.values()))})
    adopted = bt.fits.adopt(tree, bt.counts.from_table(table))
    assert bt.prob_better(adopted).sel(system_a="A", system_b="B") > 0.99
    later = {pair: table[pair] for pair in [("A", "C"), ("A", "B"), ("B", "C")]}
    with pytest.raises(ValueError, match=r"from 30, 5, 5 for the pair A vs C, .* in their order"):
        bt.fits.adopt(tree, bt.counts.from_table(later))


def test_labelled_pairs_may_have_a_likelihood_without_dims():
    """The labels of theta name the pairs, and the data of the model are in its order."""
    table = {("B", "C"): (22, 10, 8), ("A", "B"): (18, 9, 13), ("A", "C"): (30, 5, 5)}
    rng = np.random.default_rng(0)
    theta = np.stack([rng.dirichlet(np.array(n) + 1, (4, 500)) for n in table.values()], axis=2)
    tree = own(pairs=[f"{a} vs {b}" for a, b in table], theta=theta)
    tree["observed_data"] = xr.Dataset({"y": (("y_dim_0", "y_dim_1"), list(table.values()))})
    counts = bt.counts.from_table(dict(sorted(table.items())))
    adopted = bt.prob_better(bt.fits.adopt(tree, counts)).sel(system_a="A", system_b="B")
    assert abs(adopted - bt.prob_better(counts).sel(system_a="A", system_b="B")) < 0.03


@pytest.mark.parametrize("model", ["beta_binomial", "dirichlet_multinomial"])
def test_data_of_a_model_of_this_package_are_those_of_the_counts(model):
    table = {("A", "B"): (18, 9, 13)}
    module = getattr(bt.models, model)
    with module.build(bt.counts.from_table(table)) as built:
        data = {k: built[k].get_value() for k in ("counts", "wins", "n") if k in built}
        dims = {k: ("pair", "outcome")[: v.ndim] for k, v in data.items()}
        named = {k: built[k].get_value() for k in ("is_a", "is_b")}
    tree = own(pairs=["A vs B"], p=np.random.default_rng(1).beta(19, 10, (4, 500, 1)))
    constant = {k: (dims[k], v) for k, v in data.items()}
    constant |= {k: (("pair", f"system_{k[-1]}"), v) for k, v in named.items()}
    coords = {"pair": ["A vs B"], "system_a": ["A"], "system_b": ["B"]}
    tree["constant_data"] = xr.Dataset(constant, coords)
    bt.fits.adopt(tree, bt.counts.from_table(table))
    with pytest.raises(ValueError, match=r"sampled from 18, 9.* for the pair A vs B"):
        bt.fits.adopt(tree, bt.counts.from_table({("A", "B"): (5, 40, 13)}))


def test_the_prior_that_a_model_was_built_with_is_in_the_answer():
    counts = bt.counts.from_table({("A", "B"): (10, 20, 10)})
    tree = bt.posterior.draws(counts, prior=(60, 1, 1), rng=1)
    tree["constant_data"] = xr.Dataset({"prior": ("outcome", [60.0, 1.0, 1.0])})
    answer = bt.fits.compare(bt.fits.adopt(tree, counts))
    assert "prior=Dirichlet(60, 1, 1) as built" in answer.signature()


def test_an_outcome_that_a_model_excludes_does_not_fail(p):
    without_ties = np.stack([p, 1 - p, 0 * p], axis=-1)
    found = diagnosed(theta=without_ties)
    assert found.passed, found.failures
    assert found.rhat_max < 1.01


def test_constant_answers_are_called_constant(p):
    found = diagnosed(p=0 * p + 0.6)
    assert found.failures == (
        "R-hat of p[A vs B] is not known: it is the same in every draw; give draws that vary.",
    )


def test_what_is_not_known_of_the_sampler_is_shown(theta):
    tree = own(theta=theta)
    line = "Checked by R-hat and ESS alone: the tree has no group sample_stats"
    adopted = bt.fits.adopt(tree)
    assert bt.fits.diagnose(adopted).unchecked.startswith(line)
    assert line in str(bt.fits.compare(adopted))
    tree["sample_stats"] = xr.Dataset({"diverging": (SAMPLES, np.zeros((4, 1000), bool))})
    assert bt.fits.diagnose(bt.fits.adopt(tree)).unchecked == ""
    assert line not in str(bt.fits.compare(bt.fits.adopt(tree)))


def test_divergences_give_no_verdict(theta):
    tree = own(theta=theta)
    diverging = np.zeros((4, 1000), bool)
    diverging[2, 7] = True
    tree["sample_stats"] = xr.Dataset({"diverging": (SAMPLES, diverging)})
    without_verdicts(adopted(tree)[0])


def test_the_provenance_is_of_an_adopted_model(theta):
    last = str(bt.fits.compare(bt.fits.adopt(own(theta=theta)))).splitlines()[-1]
    assert "model=adopted model" in last
    assert "prior=" not in last
    assert last.endswith("4 x 1000 draws")  # of a sampler that is not known


# every function that takes a posterior


@pytest.mark.parametrize("shape", ["square", "by_pair"])
@pytest.mark.parametrize("name", ["theta", "difference"])
def test_every_question_is_answered_as_the_closed_form(name, shape, request):
    counts = request.getfixturevalue(shape)
    tree = bt.fits.adopt(own(**{name: request.getfixturevalue(name)}), counts)
    near(bt.posterior.sf(tree, 0.1), bt.posterior.sf(counts, 0.1))
    near(bt.posterior.sf(tree, -0.1), bt.posterior.sf(counts, -0.1))
    near(bt.posterior.cdf(tree, [-0.1, 0.1]), bt.posterior.cdf(counts, [-0.1, 0.1]))
    near(bt.posterior.ppf(tree, [0.1, 0.9]), bt.posterior.ppf(counts, [0.1, 0.9]))
    near(bt.prob_equivalent(tree, 0.1), bt.prob_equivalent(counts, 0.1))
    found, exact = bt.difference(tree, ci_kind="eti"), bt.difference(counts, ci_kind="eti")
    for part in ("mean", "lower", "upper"):
        near(found[part].assign_coords(mcse=found[f"mcse_{part}"]), exact[part])
    assert found["sd"].values == pytest.approx(exact["sd"].values, rel=0.05)
    at = 0.15
    heights, wanted = bt.posterior.pdf(tree, at), bt.posterior.pdf(counts, at)
    assert heights.dims == wanted.dims
    off = of_two(wanted)
    assert heights.values[off] == pytest.approx(wanted.values[off], abs=0.5)  # of 5 at the mode


@pytest.mark.parametrize("shape", ["square", "by_pair"])
@pytest.mark.parametrize("name", ["theta", "p"])
def test_questions_of_decisive_items_are_answered_as_the_closed_form(name, shape, request):
    counts = request.getfixturevalue(shape)
    tree = bt.fits.adopt(own(**{name: request.getfixturevalue(name)}), counts)
    found, exact = bt.posterior.decisive(tree), bt.posterior.decisive(counts)
    off = of_two(exact["mean"])
    far = np.abs(found["mean"] - exact["mean"].values).values
    assert (far <= 5 * found["mcse_mean"].values)[off].all()
    a, b = exact["a"].values, exact["b"].values
    sd = np.sqrt(a * b / (a + b + 1)) / (a + b)
    assert found["sd"].values[off] == pytest.approx(sd[off], rel=0.06)
    heights = bt.posterior.decisive_density(tree, 0.6)
    wanted = bt.posterior.decisive_density(counts, 0.6)
    assert heights.values[off] == pytest.approx(wanted.values[off], abs=0.6)  # of 7 at the mode


@pytest.mark.parametrize(
    "ask",
    [
        bt.difference,
        bt.prob_equivalent,
        lambda tree: bt.posterior.sf(tree, 0.1),
        lambda tree: bt.posterior.cdf(tree, 0.1),
        lambda tree: bt.posterior.pdf(tree, 0.1),
        lambda tree: bt.posterior.ppf(tree, 0.1),
    ],
)
def test_p_alone_says_nothing_of_the_size_of_a_difference(ask, p):
    with pytest.raises(ValueError, match="needs theta or difference, and the adopted model has p"):
        ask(bt.fits.adopt(own(p=p)))


def test_a_difference_alone_says_nothing_of_decisive_items(difference):
    tree = bt.fits.adopt(own(difference=difference))
    with pytest.raises(ValueError, match="a decisive example needs p or theta over pair"):
        bt.posterior.decisive(tree)
    with pytest.raises(ValueError, match="a decisive example needs p or theta over pair"):
        bt.posterior.decisive_density(tree, 0.5)


def test_variables_by_data_set_are_not_taken_for_those_of_pairs(difference, theta):
    each = np.stack([theta, theta], axis=2)
    dims = {"theta": ["dataset", "pair", "outcome"]}
    tree = bt.fits.adopt(own(difference=difference, theta=each, dims=dims))
    with pytest.raises(ValueError, match="needs p or theta over pair"):
        bt.posterior.decisive(tree)
    assert bt.fits.compare(tree)["prob_better"].shape == (3, 3)


def test_a_tree_that_was_not_adopted_hears_of_adopt(theta):
    with pytest.raises(ValueError, match=r"or your own by betterthan\.fits\.adopt"):
        bt.prob_better(own(theta=theta))


@pytest.mark.parametrize(
    ("ask", "match"),
    [
        (lambda tree: bt.prob_better(tree, prior=(2, 2, 1)), "prior is for counts; a posterior"),
        (lambda tree: bt.difference(tree, ties="half"), "ties is for counts; a posterior"),
        (lambda tree: bt.prob_better(tree, model="independent"), "model is for counts; a"),
        (bt.posterior.bayes_factor, "a Bayes factor needs counts, not a posterior"),
        (bt.posterior.prior_sweep, "a sweep over priors needs counts, not a posterior"),
        (bt.fits.transitivity, "give a fit of betterthan.models, of davidson"),
        (lambda tree: bt.fits.loo({"a": tree, "b": tree}), "'a' has no log likelihood"),
        (lambda tree: bt.fits.compare(tree, weights={"x": 1.0}), "weights is for a fit of hier"),
        (lambda tree: bt.fits.compare(tree, items=4), "items is for a fit of mallows"),
    ],
)
def test_what_draws_cannot_answer_is_refused_in_one_line(ask, match, theta):
    with pytest.raises(ValueError, match=match) as error:
        ask(bt.fits.adopt(own(theta=theta)))
    assert "\n" not in str(error.value)


def test_the_comparison_is_that_of_the_closed_form(theta, square):
    found = bt.fits.compare(bt.fits.adopt(own(theta=theta), square))
    exact = bt.compare(square)
    for a, b in TABLE:
        one = {"system_a": a, "system_b": b}
        assert found["verdict"].sel(one).item() == exact["verdict"].sel(one).item()
    near(found["prob_better"].assign_coords(mcse=found["prob_better_mcse"]), bt.prob_better(square))


def test_the_number_of_items_is_that_of_counts_with_ties(theta, by_pair):
    tree = own(theta=theta)
    tree["constant_data"] = xr.Dataset({"counts": (("pair", "outcome"), by_pair.values)})
    assert bt.fits.compare(bt.fits.adopt(tree, by_pair))["n"].values.tolist() == [82, 60, 44]
    del tree["constant_data"]
    tree["constant_data"] = xr.Dataset({"counts": (("pair", "outcome"), by_pair.values[:, :2])})
    assert "n" not in bt.fits.compare(bt.fits.adopt(tree, by_pair))


def test_the_summary_has_every_variable(p):
    tree = bt.fits.adopt(own(p=p, mu=p[..., 0]))
    assert bt.fits.summary(tree).index.tolist() == [f"p[{x}]" for x in PAIRS] + ["mu"]


def test_cross_check_of_a_model_without_a_recorded_prior(theta, p, square):
    tree = bt.fits.adopt(own(theta=theta), square)
    with pytest.raises(ValueError, match="do not record their prior, so no closed form"):
        bt.fits.cross_check(square, tree)
    assert bt.fits.cross_check(square, tree, prior=(1, 1, 1))["agrees"].all()
    assert not bt.fits.cross_check(square, tree, prior=(9, 90, 1))["agrees"].all()
    assert bt.fits.cross_check(square, bt.fits.adopt(own(p=p)), prior=(1, 1))["agrees"].all()


@pytest.mark.parametrize("name", ["theta", "p"])
def test_chains_that_disagree_agree_with_nothing(name, request):
    counts = bt.counts.from_table(dict.fromkeys(TABLE, (10, 10, 5)))
    draws = request.getfixturevalue(name).copy()
    draws[:2] = draws[:2][:, :, :, [1, 0, 2]] if name == "theta" else 1 - draws[:2]
    tree, diagnosis = adopted(own(**{name: draws}))
    with pytest.warns(UserWarning, match="^not converged, so nothing agrees: R-hat of ") as seen:
        checked = bt.fits.cross_check(counts, tree, prior=(1, 1, 1))
    assert len(seen) == 1
    assert seen[0].filename == __file__
    assert diagnosis.failures[0] in str(seen[0].message)
    assert (np.abs(checked["z"]) < 4).any()
    assert checked["agrees"].dtype == bool
    assert not checked["agrees"].any()


def test_cross_check_of_counts_by_cluster_is_refused(theta, by_pair):
    tree = own(theta=theta)
    counts = np.stack([by_pair.values, 0 * by_pair.values])
    tree["constant_data"] = xr.Dataset({"counts": (("cluster", "pair", "outcome"), counts)})
    with pytest.raises(ValueError, match="the adopted model has counts by cluster, and no closed"):
        bt.fits.cross_check(by_pair, bt.fits.adopt(tree, by_pair), prior=(1, 1, 1))


def test_nothing_warns_where_all_is_well(theta, square):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        str(bt.fits.compare(bt.fits.adopt(own(theta=theta), square)))


@pytest.mark.parametrize("name", ["davidson", "mallows", "hierarchical"])
def test_a_model_without_draws_by_pair_hears_what_to_add(name):
    refused("in group posterior; give theta.*'difference'", bt.datasets.example_fit(name))


def test_a_model_of_clusters_is_adopted_with_the_systems_that_build_recorded():
    counts = clustered.simulate(20, size=5, rng=3)["counts"]
    model = clustered.build(counts)
    posterior = bt.datasets.example_fit("clustered")["posterior"].to_dataset()
    tree = xr.DataTree.from_dict(
        {
            "posterior": posterior[["p", "s", "theta"]].drop_vars(["system_a", "system_b"]),
            "constant_data": xr.Dataset(
                {
                    name: (model.named_vars_to_dims[name], model[name].get_value())
                    for name in ("is_a", "is_b", "counts")
                },
                {k: list(v) for k, v in model.coords.items()},
            ),
        }
    )
    adopted = bt.fits.adopt(tree)
    answer = bt.prob_better(bt.fits.adopt(tree, counts.sum("cluster")))
    near(answer, clustered.closed_form(counts))
    assert adopted["posterior"]["system_a"].values.tolist() == ["A0"]
    assert bt.fits.adopt(tree, counts).identical(bt.fits.adopt(tree, counts.sum("cluster")))
    with pytest.raises(ValueError, match="has counts by cluster, and no closed form is known"):
        bt.fits.cross_check(counts, adopted, prior=(1, 1, 1))


def test_a_graded_model_as_built_hears_what_to_add():
    fit = bt.datasets.example_fit("graded")
    built = fit["posterior"].to_dataset()[["centre", "tied", "scale", "tail"]]
    add = r"idata has centre \(pair\), tied \(pair\), scale \(pair\), tail \(pair\) in group"
    refused(add, xr.DataTree.from_dict({"posterior": built}))


# a difference in its own unit


@pytest.fixture(scope="module")
def minutes(p):
    return bt.fits.adopt(own(difference=300 * p - 200))


def test_a_rope_is_in_the_unit_of_the_difference(minutes, p):
    found = bt.prob_equivalent(minutes, 10)
    right = (np.abs(300 * p[..., 0] - 200) <= 10).mean()
    assert found.sel(system_a="A", system_b="B", region="rope") == pytest.approx(right)
    compared = bt.fits.compare(minutes, rope=250)
    assert compared["verdict"].sel(system_a="A", system_b="B") == "equivalent"
    assert "equivalent" in bt.report(compared)
    assert bt.report(compared, format="markdown")


@pytest.mark.parametrize("rope", [-1, np.inf, np.nan])
def test_a_rope_in_another_unit_is_a_number_of_at_least_0(minutes, rope):
    wanted = "give a number of at least 0, in units of the difference"
    for f in (bt.prob_equivalent, lambda tree, rope: bt.fits.compare(tree, rope=rope)):
        with pytest.raises(ValueError, match=wanted):
            f(minutes, rope)


def test_a_rope_of_probabilities_stays_below_1(theta, difference, p):
    for tree in (own(theta=theta), own(theta=theta, difference=difference), own(p=p)):
        with pytest.raises(ValueError, match="rope is 10; give a number from 0 up to, not"):
            bt.fits.compare(bt.fits.adopt(tree), rope=10)


def test_a_rope_needs_a_difference(p):
    tree = bt.fits.adopt(own(p=p))
    for answer, what in ((bt.fits.compare, "rope"), (bt.plot.differences, "difference")):
        with pytest.raises(
            ValueError, match=f"a {what} needs theta or difference, and the adopted model has p"
        ):
            answer(tree, rope=0.05)
    drawn = bt.posterior.draws(bt.counts.from_table({("A", "B"): (9, 4)}), rng=1)
    with pytest.raises(ValueError, match="a rope needs the number of ties, which beta_binomial"):
        bt.fits.compare(drawn, rope=0.05)


def test_a_difference_in_another_unit_beside_theta(theta, difference):
    tree = bt.fits.adopt(own(theta=theta, difference=300 * difference))
    assert (bt.prob_equivalent(tree, 300).sel(region="rope") == 1).all()


@pytest.mark.parametrize("names", [("theta", "p"), ("theta", "difference"), ("p", "difference")])
def test_variables_that_contradict_each_other_are_refused(names, request):
    first, other = (request.getfixturevalue(name) for name in names)
    adopted(own(**{names[0]: first, names[1]: other}))
    turned = 1 - other if names[1] == "p" else -other
    message = "(difference|theta|p) and .* favor different systems at chain 0, draw 0, pair 0; give"
    refused(message, own(**{names[0]: first, names[1]: turned}))
