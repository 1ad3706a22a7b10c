"""Numbers that say that a score is missing are no scores: nobody wins by them, and nobody loses."""

import json
import warnings

import numpy as np
import pandas as pd
import pytest

import betterthan as bt
from betterthan.rounding import without_float_errors


def ratings(*codes, highest=5, n=30):
    """Ratings of two systems; each code takes the place of some ratings of one."""
    table = pd.DataFrame(
        np.random.default_rng(2).integers(0, highest + 1, (n, 2)), columns=["A", "B"]
    )
    table = table.astype(float)
    for system, code in zip("AB", codes, strict=False):
        if code is not None:
            table.loc[:3, system] = code
    return table.assign(item=[f"q{k}" for k in range(n)])


@pytest.mark.parametrize(
    ("codes", "highest"),
    [
        ((-1,), 1),
        ((None, -1), 5),
        ((-1, -1), 5),
        ((99,), 5),
        ((999, 999), 100),
        ((-99, -99), 1),
        ((-9,), 5),
    ],
)
def test_a_code_is_refused_until_the_systems_are_named(codes, highest):
    table = ratings(*codes, highest=highest)
    code = next(c for c in codes if c is not None)
    message = f"{code} may mean missing: [48] scores of .* pass systems=.'A', 'B'. if it is right"
    with pytest.raises(ValueError, match=message):
        bt.read(table)
    assert (bt.read(table, systems=["A", "B"]) == code).any()
    long = table.melt("item", var_name="system", value_name="score")
    with pytest.raises(ValueError, match=f"{code} may mean missing"):
        bt.read(long)
    blank = table.replace(code, np.nan)
    assert bt.read(blank).attrs["n_missing"] == 4 * len([c for c in codes if c is not None])


@pytest.mark.parametrize(
    ("codes", "highest"),
    [((-1, -1), 1), ((99,), 100), ((99,), 20), ((-2,), 5), ((9,), 5), ((-1, -5), 5)],
)
def test_other_numbers_are_scores(codes, highest):
    assert bt.read(ratings(*codes, highest=highest)).sizes == {"item": 30, "system": 2}


def test_a_rare_minus_one_of_every_system_is_no_score_of_losses():
    table = ratings(-1, -1, highest=1, n=200)  # 4 of 200
    with pytest.raises(ValueError, match="-1 may mean missing: 8 scores of 'A', 'B' next to 0"):
        bt.read(table)
    assert bt.read(table, systems=["A", "B"]).min() == -1


def on(first, second, n=40):
    """Scores of two systems on the scales 0 to `first` and 0 to `second`; whole numbers where a
    scale is negative.
    """
    draws = np.random.default_rng(3).random((n, 2)) * [abs(first), abs(second)]
    table = pd.DataFrame(draws, columns=["A", "B"])
    for system, scale in (("A", first), ("B", second)):
        table[system] = np.ceil(table[system]) if scale < 0 else table[system]
    return table.assign(item=[f"q{k}" for k in range(n)])


@pytest.mark.parametrize("scales", [(1, 100), (1, -5), (1, 10), (5, 1), (-1, 100)])
def test_scores_on_two_scales_are_refused_until_the_systems_are_named(scales, tmp_path):
    table = on(*scales)
    long = table.melt("item", var_name="system", value_name="score")
    files = {s: table[["item", s]].rename(columns={s: "score"}) for s in "AB"}
    for source in (long, files, *([table] if min(map(abs, scales)) == scales[0] == 1 else [])):
        with pytest.raises(ValueError, match=r"not on one scale; write all|not scores of one kind"):
            bt.read(source)
    with pytest.warns(UserWarning, match="not on one scale; write all on one scale"):
        assert bt.read(long, systems=["A", "B"]).sizes["system"] == 2
    assert bt.gate(files["A"], files["B"], margin=0.05).verdict == "not comparable"


@pytest.mark.parametrize("scales", [(1, 1), (-1, -5), (-5, -10), (1, 3), (0.5, 5), (100, 90)])
def test_scores_that_may_be_on_one_scale_are_read(scales):
    long = on(*scales).melt("item", var_name="system", value_name="score")
    assert bt.read(long).sizes == {"item": 40, "system": 2}
    few = long[long["item"].isin(["q0", "q1", "q2"])]
    assert bt.read(few).sizes["item"] == 3


def marks_and_ratings():
    """A system of marks, 0 or 1, and one of the same quality that has 0 to 5 points."""
    good = np.arange(40) % 3 > 0
    rows = {"item": [f"q{k}" for k in range(40)], "A": good * 1, "B": good * 5}
    return pd.DataFrame(rows)


def test_marks_of_0_and_1_next_to_ratings_warn_and_stop_a_gate():
    table = marks_and_ratings()
    for source in (table, {name: table[name].tolist() for name in "AB"}):
        with pytest.warns(UserWarning, match="'B' run from 0 to 5 and those of 'A' from 0 to 1, n"):
            bt.compare(source)
    old, new = (table[["item", name]].rename(columns={name: "score"}) for name in "AB")
    decision = bt.gate(old, new, margin=0.05)
    assert decision.verdict == "not comparable"
    assert "pass 'limits', its smallest" in decision.why[0]
    assert bt.gate(old, new, margin=0.05, limits=(0, 5)).verdict == "pass"
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # errors are counted: one system may make 5 where one has 1
        bt.compare(table, higher_is_better=False)


@pytest.mark.parametrize("marks", [True, False])
@pytest.mark.parametrize("late", [True, False])
@pytest.mark.parametrize("percent", [True, False])
def test_percentages_appended_to_shares_warn(marks, late, percent):
    rng = np.random.default_rng(1)
    scores = rng.beta(3, 2, (60, 2)).round(3)
    scores[::7] = 1
    scores = (scores > 0.5) * 1.0 if marks else scores
    scores[30:] *= 100
    rows = scores if late else scores[::-1]
    table = pd.DataFrame(rows, columns=["A", "B"]).assign(item=[f"q{k}" for k in range(60)])
    shares, rest = ("first", "last") if late else ("last", "first")
    message = rf"scores of the {shares} 3\d items run from .* of the {rest} \d\d items run"
    with pytest.warns(UserWarning, match=message):
        bt.compare(table, percent=percent)


def test_a_table_sorted_by_percentages_does_not_warn():
    scores = np.sort(np.random.default_rng(1).beta(0.3, 1, (80, 2)) * 100, axis=0).round(2)
    table = pd.DataFrame(scores, columns=["A", "B"]).assign(item=[f"q{k}" for k in range(80)])
    assert (scores <= 1).all(1).sum() > 8
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bt.compare(table)


@pytest.mark.parametrize("top", [5, 100])
def test_data_sets_of_marks_and_of_percentages_warn(top):
    marks = np.arange(80) % 3 > 0
    table = pd.DataFrame({"A": marks * 1, "B": marks[::-1] * 1}).assign(dataset="one")
    table.loc[40:, ["A", "B"]] *= top
    table.loc[40:, "dataset"] = "two"
    table["item"] = [f"q{k}" for k in range(80)]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        bt.read(table)
    warned = any("'two' run from 0 to 100 and those" in str(w.message) for w in caught)
    assert warned == (top == 100)  # a data set of pass or fail may stand next to one of ratings


def test_many_systems_are_named_as_they_can_be_passed():
    table = pd.DataFrame(np.ones((9, 10)), columns=[f"s{k}" for k in range(10)])
    table.loc[0, "s3"] = -1
    table["item"] = [f"q{k}" for k in range(9)]
    with pytest.raises(
        ValueError, match=r"or pass systems=\['s0', .*'s7', \.\.\.\] if it is right"
    ):
        bt.read(table.melt("item", var_name="system", value_name="score"))


def numbered(first, second, n=30, prefix="{}"):
    """Frames of two systems whose items are numbered from these."""
    return {
        name: pd.DataFrame({"item": ids, "score": [k % 2 for k in range(n)]})
        for name, start in (("A", first), ("B", second))
        for ids in [[prefix.format(k) for k in range(start, start + n)]]
    }


@pytest.mark.parametrize("prefix", ["{}", "HumanEval/{}", "q{:03d}", "2024-{}"])
def test_items_numbered_from_0_and_from_1_are_refused_until_the_systems_are_named(tmp_path, prefix):
    frames = numbered(0, 1, prefix=prefix)
    long = pd.concat([frame.assign(system=name) for name, frame in frames.items()])
    files = {name: tmp_path / f"{name}.csv" for name in frames}
    for name, frame in frames.items():
        frame.to_csv(files[name], index=False)
    message = "items of 'A' are numbered from 0, those of 'B' from 1 to 30"
    for source in (frames, long, files):
        with pytest.raises(ValueError, match=message):
            bt.compare(source)
    assert bt.read(long, systems=["A", "B"]).sizes["item"] == 31
    gate = bt.gate(files["B"], files["A"], margin=0.1)
    message = "items of 'candidate' are numbered from 0, those of 'baseline' from 1 to 30"
    assert (gate.exit_code, gate.why) == (4, (f"{message}; number all alike",))


@pytest.mark.parametrize(("first", "second"), [(0, 0), (1, 2), (0, 2)])
def test_other_ranges_of_items_are_joined(first, second):
    frames = numbered(first, second)
    long = pd.concat([frame.assign(system=name) for name, frame in frames.items()])
    assert bt.read(long).sizes["item"] == 30 + second - first


def test_few_scores_may_be_missing_where_items_are_numbered_in_two_ways():
    frames = numbered(0, 1, 100)
    some = {"A": frames["A"].drop(index=[7, 99]), "B": frames["B"]}
    with pytest.raises(ValueError, match="numbered from 0, those of 'B' from 1 to 100"):
        bt.compare(some)
    many = {"A": frames["A"].drop(index=range(7, 13)), "B": frames["B"]}
    long = pd.concat([frame.assign(system=name) for name, frame in many.items()])
    assert bt.read(long).attrs["n_missing"] == 8


def test_a_score_in_32_bits_is_equal_to_the_same_decimal_in_64():
    scores = np.random.default_rng(1).choice([0.1, 0.2, 0.3, 0.4, 0.6, 0.8], 40)
    frame = pd.DataFrame({"item": range(40), "A": scores.astype("float32"), "B": scores})
    counts = bt.count(bt.read(frame)).sel(system_a="A", system_b="B")
    assert counts.values.tolist() == [0, 0, 40]
    np.testing.assert_array_equal(bt.read(frame).sel(system="A"), scores)


FIFTHS = np.random.default_rng(3).choice([0, 0.2, 0.4, 0.6, 0.8, 1.0], 40)
SHORT = FIFTHS.astype("float32")
IN_32_BITS = {
    "two arrays": lambda: bt.compare(SHORT, FIFTHS),
    "Series": lambda: bt.compare({"A": pd.Series(SHORT), "B": pd.Series(FIFTHS)}),
    "lists": lambda: bt.compare({"A": list(SHORT), "B": list(FIFTHS)}),
    "a type of pandas": lambda: bt.compare(
        pd.DataFrame({"A": pd.array(SHORT, dtype="Float32"), "B": FIFTHS})
    ),
    "a type of Arrow": lambda: bt.compare(
        pd.DataFrame({"A": pd.Series(SHORT, dtype="float[pyarrow]"), "B": FIFTHS})
    ),
    "objects": lambda: bt.compare(
        pd.DataFrame({"A": pd.Series(list(SHORT), dtype=object), "B": FIFTHS})
    ),
    "an array of both": lambda: bt.compare(np.stack([SHORT, FIFTHS], 1), systems=["A", "B"]),
    "other ways to the same number": lambda: bt.compare(
        np.stack([SHORT, (5 * SHORT).round() * np.float32(0.2)], 1), systems=["A", "B"]
    ),
}


@pytest.mark.parametrize("how", IN_32_BITS)
def test_equal_scores_are_ties_where_one_system_has_32_bits(how):
    pair = IN_32_BITS[how]().data.isel(system_a=0, system_b=1)
    assert pair["counts"].values.tolist() == [0, 0, 40]
    assert pair["prob_better"].item() == 0.5


def test_equal_scores_are_ties_where_one_file_was_written_from_32_bits(tmp_path):
    files = [tmp_path / "torch.json", tmp_path / "python.json"]
    for path, scores in zip(files, (SHORT, FIFTHS), strict=True):
        rows = [{"item": f"q{k}", "score": float(x)} for k, x in enumerate(scores)]
        path.write_text(json.dumps(rows))
    pair = bt.compare(files).data.isel(system_a=0, system_b=1)
    assert pair["counts"].values.tolist() == [0, 0, 40]
    gated = bt.gate(*files, margin=0.1)
    assert "0 wins, 0 losses, 40 ties" in str(gated)
    p = bt.randomization_test(bt.read(files), rng=1)["p_value"].values[0, 1]
    assert p == 1 == bt.randomization_test(bt.read([files[1]] * 1 + [files[0]]))["p_value"][0, 1]


def test_half_points_in_16_bits_are_wins():
    halves = np.arange(40) % 7 / 2 + 60
    scores = np.stack([halves + 0.5, halves], axis=1).astype("float16")
    pair = bt.compare(scores, systems=["A", "B"]).data.isel(system_a=0, system_b=1)
    assert pair["counts"].values.tolist() == [40, 0, 0]


def test_scores_that_32_bits_do_not_hold_are_left_as_they_are():
    scores = np.random.default_rng(0).random((300, 2))
    scores[0] = np.nan
    assert without_float_errors(scores) is scores
    assert without_float_errors(scores.round()) is not None
    some = scores.copy()
    some[:, 0] = some[:, 0].astype("float32")
    np.testing.assert_array_equal(without_float_errors(some)[:, 1], scores[:, 1])
    np.testing.assert_allclose(without_float_errors(some)[:, 0], some[:, 0], atol=5e-8)
    fewest = [float(str(x)) for x in some[1:, 0].astype("float32")]
    np.testing.assert_allclose(without_float_errors(some)[1:, 0], fewest, rtol=1e-12)


def runs_of(systems=("A", "B"), runs=(1, 2, 3), n=12):
    """Three runs of each system on each item, a row each."""
    rng = np.random.default_rng(4)
    table = pd.DataFrame(
        [(f"q{k}", run, s) for k in range(n) for run in runs for s in systems],
        columns=["item", "run", "system"],
    )
    return table.assign(score=rng.integers(0, 2, len(table)).astype(float))


def test_a_run_whose_rows_are_all_blank_is_refused_and_one_without_rows_is_not():
    table = runs_of()
    third = (table["system"] == "B") & (table["run"] == 3)
    blank = table.assign(score=table["score"].mask(third))
    message = "run 3 of system 'B' has no score on any of its 12 items; leave its rows out if"
    with pytest.raises(ValueError, match=message):
        bt.read(blank, run="run")
    assert bt.read(table[~third], run="run").attrs["n_missing"] == 12
    some = blank.copy()
    some.loc[third.idxmax(), "score"] = 1.0
    assert bt.read(some, run="run").attrs["n_missing"] == 11


def test_a_gate_refuses_a_candidate_with_a_blank_run():
    table = runs_of(("one",)).drop(columns="system")
    blank = table.assign(score=table["score"].mask(table["run"] == 3))
    with pytest.raises(ValueError, match="run 3 of system 'candidate' has no score on any"):
        bt.gate(table.assign(score=1.0), blank, margin=0.1, run="run")


@pytest.mark.parametrize("column", ["prompt", "instruction", "Query", "problem", "user_input"])
def test_one_id_for_two_questions_is_refused_by_any_usual_name(column):
    frames = {
        name: pd.DataFrame({"item": range(4), column: [f"{name} {k}" for k in texts], "score": 1})
        for name, texts in (("A", "abcd"), ("B", "abcd"))
    }
    with pytest.raises(ValueError, match=f"give each {column.lower()} an id of its own, or pass"):
        bt.compare(frames)
    same = {name: frame.assign(**{column: list("abcd")}) for name, frame in frames.items()}
    assert bt.count(bt.read(same)).sum() > 0


@pytest.mark.parametrize("where", ["above", "below"])
def test_a_subtotal_of_the_rows_next_to_it_is_refused(where):
    rng = np.random.default_rng(7)
    parts = []
    for group in ("booking", "refund"):
        part = pd.DataFrame(rng.integers(0, 2, (14, 2)), columns=["A", "B"])
        part = part.assign(item=[f"{group} {k}" for k in range(14)])
        total = pd.DataFrame([{"item": group, "A": part["A"].sum(), "B": part["B"].sum()}])
        parts += [total, part] if where == "above" else [part, total]
    table = pd.concat(parts, ignore_index=True)
    with pytest.raises(ValueError, match="item 'booking' is the sum of the 14 items next to it"):
        bt.read(table)
    items = table[table["item"].str.contains(" ")]
    assert bt.read(items).sizes["item"] == 28
    totals = table["item"].isin(["booking", "refund"])
    half = table.assign(A=table["A"].mask(totals, 0.5), B=table["B"].mask(totals, 1))
    assert bt.read(half).sizes["item"] == 30  # half a point, and no sum


def test_a_column_with_percent_signs_in_some_cells_is_refused(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text("item,A,B\nq1,80%,70%\nq2,0,60%\nq3,0.8,50%\n")
    message = "row 4, column 'A', value '0.8': no % sign, which other cells of the column have"
    with pytest.raises(ValueError, match=message):
        bt.read(path, percent=True)
    path.write_text("item,A,B\nq1,80%,70\nq2,0,60\nq3,,50\n")
    np.testing.assert_array_equal(
        bt.read(path, percent=True), [[0.8, 0.7], [0, 0.6], [np.nan, 0.5]]
    )


@pytest.mark.parametrize(
    ("name", "end"), [("max", "max"), ("any correct", "max"), ("worst", "min")]
)
def test_a_column_that_bounds_the_others_is_no_system(name, end):
    rng = np.random.default_rng(2)
    two = pd.DataFrame(rng.integers(0, 2, (30, 2)), columns=["A", "B"])
    table = two.assign(**{name: getattr(two, end)(axis=1)})
    what = {"max": "maximum", "min": "minimum"}[end]
    with pytest.raises(ValueError, match=f"column '{name}': is the {what} of the other columns"):
        bt.read(table)
    assert bt.read(table, systems=["A", "B", name]).sizes["system"] == 3
    named = table.rename(columns={name: "C"})  # of two others it may be by chance
    assert bt.read(named).sizes["system"] == 3
    three = pd.DataFrame(rng.integers(0, 2, (30, 3)), columns=["A", "B", "D"])
    with pytest.raises(ValueError, match=f"column 'E': is the {what} of the other columns"):
        bt.read(three.assign(E=getattr(three, end)(axis=1)))
    copy = two.assign(C=two["A"], D=0)
    assert bt.read(copy).sizes["system"] == 4
    decided = three[(three.nunique(axis=1) > 1)]  # no item is right, or wrong, for all three
    assert bt.read(decided.assign(E=float(end == "max"))).sizes["system"] == 4


def test_a_blank_column_next_to_ratings_is_a_system_without_scores():
    ratings = np.random.default_rng(0).integers(1, 6, (20, 2))
    table = pd.DataFrame(ratings, columns=["A", "B"]).assign(C=np.nan)
    assert bt.read(table)["system"].values.tolist() == ["A", "B", "C"]


@pytest.mark.parametrize("row", [0, 50, 99])
def test_an_item_that_all_lack_says_nothing_of_how_items_are_numbered(row):
    random = np.random.default_rng(1)
    table = pd.DataFrame({s: (random.random(100) < 0.6).astype(float) for s in ("old", "new")})
    table.loc[row] = np.nan
    assert bt.compare(table.assign(item=range(100))).pairs["n"].tolist() == [99]


def test_places_in_a_list_are_no_ids():
    scores = np.random.default_rng(1).integers(0, 2, (50, 2)).astype(float)
    scores[10, 0] = scores[20, 1] = np.nan
    lists = {"old": scores[:, 0].tolist(), "new": scores[:, 1].tolist()}
    assert bt.compare(lists).pairs["n"].tolist() == [48]
    assert bt.compare(scores, systems=["old", "new"]).pairs["n"].tolist() == [48]


@pytest.mark.parametrize("name", ["max_score", "out_of", "n"])
def test_what_each_item_is_out_of_is_no_system_next_to_right_and_wrong(name):
    table = pd.DataFrame({"item": range(20), "old": [1, 0] * 10, "new": [1, 1, 0, 1] * 5, name: 1})
    with pytest.raises(ValueError, match=f"column '{name}': no score exceeds it on any item"):
        bt.compare(table)


@pytest.mark.parametrize("form", ["wide", "long", "files"])
@pytest.mark.parametrize(
    ("cells", "refused"),
    [
        (["942", "1.037", "983", "1.100"], True),  # as a spreadsheet shows thousands
        (["942", "1.03", "983", "1.1"], False),
        (["94", "1.037", "100", "33.333"], False),  # percentages, means of three
        (["942.125", "1.037", "983.500", "1.100"], False),
        (["942", "0.037", "983", "1.100"], False),
        (["124", "128.191", "131", "99.500"], False),  # milliseconds of two tools
    ],
)
def test_points_that_may_separate_thousands_are_refused(form, cells, refused, tmp_path):
    sides = {"old": cells * 4, "new": cells[::-1] * 4}
    table = pd.DataFrame({"item": [f"q{k}" for k in range(16)]} | sides)
    long = table.melt("item", var_name="system", value_name="score")
    if form == "files":
        source = {side: tmp_path / f"{side}.csv" for side in sides}
        for side, path in source.items():
            rows = long[long["system"] == side].drop(columns="system")
            rows.to_csv(path, sep=";", index=False)
    else:
        source = tmp_path / "ms.csv"
        (table if form == "wide" else long).to_csv(source, sep=";", index=False)
    if not refused:
        assert bt.read(source, sep=";").sizes == {"item": 16, "system": 2}
        return
    with pytest.raises(
        ValueError, match=r"next to (942|983); leave points out that separate thousand"
    ):
        bt.read(source, sep=";")


@pytest.mark.parametrize("whole", [0, 3])
def test_few_scores_below_a_thousand_are_enough_to_refuse_the_others(whole, tmp_path):
    """Not of perplexities, of which one is an outlier without decimals."""
    path = tmp_path / "ms.csv"
    cells = [f"{k + 951}" if k < whole else f"{1 + k % 3}.{k % 7}37" for k in range(200)]
    outlier = ["120", *cells[1:]] if not whole else cells
    rows = (f"q{k};{a};{b}" for k, (a, b) in enumerate(zip(cells, outlier, strict=True)))
    path.write_text("\n".join(["item;a;b", *rows, ""]))
    if not whole:
        assert bt.read(path, sep=";").sizes["item"] == 200
        return
    with pytest.raises(ValueError, match="leave points out that separate thousands"):
        bt.read(path, sep=";")
