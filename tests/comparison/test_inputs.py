"""Logs that were read, options of reading, dicts and arrays are inputs of the core functions."""

import inspect
import typing
import warnings
from contextlib import nullcontext

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from gating.made import answers, first, log, table
from logs.samples import FORMATS, needs_samples

import betterthan as bt
from betterthan.logs.record import Logs
from betterthan.reading.read import ReadOptions, read

COUNTS = ("wins", "losses", "ties")
SYSTEMS_OF_COUNTS = ("system_a", "system_b")

A, B, C = [1.0, 1, 0, 1, 1, 0, 1, 1], [0.0, 1, 0, 0, 1, 0, 0, 1], [0.0, 0, 0, 1, 0, 0, 1, None]
ITEMS = [f"q{k}" for k in range(8)]
OLD = first(60)
NEW = answers(OLD, 0.4, 0.04)


@pytest.fixture
def two(tmp_path):
    """The logs of two systems."""
    more = ("rouge",)
    return {
        "old": log(tmp_path / "a.json", [*OLD[:-1], None], more=more),
        "new": log(tmp_path / "b.json", NEW, more=more),
    }


def same(found, wanted):
    xr.testing.assert_identical(found.data, wanted.data)


def scores(values, systems=("A", "B", "C")):
    return xr.DataArray(values, dims=("item", "system"), coords={"system": list(systems)})


# Logs


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"errors": "worst"},
        {"join": "content"},
        {"systems": ["new", "old"]},
        {"systems": {"new": "candidate"}},
        {"task": "squares", "epoch": 1},
    ],
)
def test_logs_are_read_as_their_files_are(two, options):
    logs = bt.read_logs(two)
    options = {"metric": "match"} | options
    xr.testing.assert_identical(bt.read(logs, **options), bt.read(two, **options))
    same(bt.compare(logs, **options), bt.compare(two, **options))


def test_logs_are_taken_by_count_and_advise(two):
    logs = bt.read_logs(two)
    wanted = bt.count(bt.read(two, metric="match"))
    xr.testing.assert_identical(bt.count(logs, metric="match"), wanted)
    xr.testing.assert_identical(bt.count(two, metric="match"), wanted)
    assert str(bt.advise(logs, metric="match")) == str(bt.advise(bt.read(two, metric="match")))


def test_records_of_logs_may_be_picked_before(two):
    logs = bt.read_logs(two)
    kept = Logs(logs.records[logs.records["metric"] == "rouge"], logs.runs)
    same(bt.compare(kept), bt.compare(two, metric="rouge"))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, r"2 metrics: match \(\d+ of \d+ scored\), rouge .*metric='match'"),
        ({"metric": "bleu"}, "there is no metric 'bleu' among match"),
        ({"metric": "match", "task": "x"}, "there is no task 'x' among 'squares'"),
        ({"again": "last"}, "again='last' does not apply: the source is logs that were read"),
        ({"item": "id"}, "item='id' does not apply: the source is logs"),
        ({"lazy": True}, "lazy=True does not apply: the source is logs"),
        ({"layout": "wide"}, "layout='wide' does not apply: the source is logs"),
    ],
)
def test_options_that_logs_lack_are_refused(two, options, message):
    for function in (bt.compare, bt.count, bt.advise, bt.read):
        with pytest.raises(ValueError, match=message):
            function(bt.read_logs(two), **options)


def test_logs_without_records_are_refused(two):
    logs = bt.read_logs(two)
    for none in (Logs(logs.records[:0], logs.runs), Logs(pd.DataFrame(), pd.DataFrame())):
        with pytest.raises(ValueError, match="source is Logs without a record; give the logs of"):
            bt.compare(none)
        with pytest.raises(ValueError, match="the baseline is Logs without a record; give the"):
            bt.gate(none, logs, margin=0.1)
    with pytest.raises(ValueError, match="only one system, 'old'"):
        bt.compare(bt.read_logs({"old": two["old"]}), metric="match")


# The gate


@pytest.mark.parametrize("read", [("old", "new"), ("old",), ("new",)])
def test_the_gate_takes_logs_that_were_read(two, read):
    sides = {k: bt.read_logs(path) if k in read else path for k, path in two.items()}
    found = bt.gate(sides["old"], sides["new"], margin=0.1, metric="match")
    assert found == bt.gate(two["old"], two["new"], margin=0.1, metric="match")


def test_the_gate_compares_logs_with_an_accepted_baseline(two, tmp_path):
    from betterthan.gating import baseline_files
    from betterthan.gating.inputs import accept_candidate

    kept = tmp_path / "baseline.csv"
    baseline_files.write(kept, accept_candidate(two["old"], {"metric": "match"}))
    wanted = bt.gate(kept, two["new"], margin=0.1, metric="match")
    new = bt.read_logs(two["new"])
    assert bt.gate(kept, new, margin=0.1, metric="match") == wanted
    rouge = Logs(new.records[new.records["metric"] == "rouge"], new.runs)
    said = "the candidate has no score by 'match', the metric of baseline.csv"
    assert bt.gate(kept, rouge, margin=0.1).why == (said,)
    baseline_files.write(kept, accept_candidate(table(tmp_path / "a.csv", OLD), {}))
    with pytest.raises(ValueError, match="was accepted of a table, and the candidate is logs"):
        bt.gate(kept, bt.read_logs(two["new"]), margin=0.1)


def test_the_gate_refuses_logs_that_cannot_be_its_sides(two):
    old, new = (bt.read_logs(path) for path in two.values())
    for candidate in (old, bt.read_logs({"x": two["old"]}), two["old"]):
        again = bt.gate(old, candidate, margin=0.1, metric="match")
        assert again.verdict == "not comparable"
        assert again.why == ("the candidate is the baseline; there is no new measurement",)
    with pytest.raises(ValueError, match=r"the baseline holds 2 systems \('old', 'new'\)"):
        bt.gate(bt.read_logs(two), new, margin=0.1, metric="match")
    with pytest.raises(ValueError, match="the candidate is a DataFrame; give logs, as the other"):
        bt.gate(old, pd.DataFrame({"item": ITEMS, "score": A}), margin=0.1)
    with pytest.raises(ValueError, match="again='last' does not apply"):
        bt.gate(old, new, margin=0.1, metric="match", again="last")


# Options of reading


def test_options_of_read_are_those_of_its_signature():
    own = set(inspect.signature(read).parameters) - {"source", "systems", "unit"}
    assert ReadOptions.__optional_keys__ == own
    for function in (bt.compare, bt.count, bt.advise):
        rest = [
            p for p in inspect.signature(function).parameters.values() if p.kind is p.VAR_KEYWORD
        ]
        assert typing.get_args(rest[0].annotation) == (ReadOptions,)
        assert not set(inspect.signature(function).parameters) & own


def test_options_are_passed_to_read(tmp_path, two):
    frame = pd.DataFrame(
        {"id": ITEMS, "A": list("CCICCICC"), "B": list("ICIICIIC"), "ms": range(8)}
    )
    path = tmp_path / "results.csv"
    frame.to_csv(path, index=False, sep=";")
    options = {"item": "id", "true": "C", "false": "I", "ignore": "ms", "higher_is_better": False}
    wanted = bt.read(path, sep=";", **options)
    same(bt.compare(path, sep=";", **options), bt.compare(wanted))
    xr.testing.assert_identical(bt.count(path, sep=";", **options), bt.count(wanted))
    assert str(bt.advise(path, sep=";", **options)) == str(bt.advise(wanted))
    assert bt.compare(frame, **options)["counts"].identical(bt.compare(wanted)["counts"])
    same(bt.compare(two, metric="rouge"), bt.compare(bt.read(two, metric="rouge")))
    alone = {"systems": ["old", "new"], "metric": "rouge"}
    same(bt.compare(two, unit="item", **alone), bt.compare(bt.read(two, **alone), unit="item"))


def test_two_paths_take_options_too(tmp_path):
    old, new = table(tmp_path / "a.csv", OLD), table(tmp_path / "b.csv", NEW)
    found = bt.compare(old, new, higher_is_better=False)
    same(found, bt.compare(bt.read([old, new], higher_is_better=False)))


def test_votes_and_trials_are_read_whole_and_then_picked(tmp_path):
    path = tmp_path / "trials.csv"
    rows = [(s, i, k % 4, 4) for s in "ABC" for k, i in enumerate(ITEMS)]
    pd.DataFrame(rows, columns=["system", "item", "successes", "trials"]).to_csv(path, index=False)
    found = bt.compare(path, layout="trials", systems=["C", "A"])
    same(found, bt.compare(bt.read(path, layout="trials"), systems=["C", "A"]))
    assert found["system_a"].values.tolist() == ["C", "A"]


def test_options_that_would_be_passed_over_are_refused(tmp_path):
    frame = pd.DataFrame({"item": ITEMS, "system": "A", "successes": 1, "trials": 2})
    for function in (bt.read, bt.compare):
        with pytest.raises(ValueError, match="higher_is_better=False does not apply: the source"):
            function(frame, layout="trials", higher_is_better=False)
        with pytest.raises(ValueError, match="strata='x' is for judged outcomes; name their col"):
            function(frame, strata="x")


def test_judged_outcomes_are_read_with_their_columns(tmp_path):
    path = tmp_path / "judged.csv"
    frame = pd.DataFrame({"judge": list("ABAB") * 20, "human": ["A", "B", "B", None] * 20})
    frame = frame.assign(system_a="A", system_b="B", item=range(80))
    frame.to_csv(path, index=False)
    columns = {"judge": "judge", "human": "human"}
    same(bt.compare(path, **columns, rng=1), bt.compare(bt.read(path, **columns), rng=1))


@pytest.mark.parametrize("function", [bt.compare, bt.count, bt.advise])
@pytest.mark.parametrize(
    "data",
    [
        scores(np.array([A, B]).T, "AB"),
        {"A": A, "B": B},
        {"A": pd.Series(A), "B": pd.Series(B)},
    ],
)
def test_options_are_refused_where_nothing_is_read(function, data):
    for name, value in {"metric": "acc", "higher_is_better": False, "item": "id"}.items():
        with pytest.raises(ValueError, match=f"^{name}={value!r} does not apply: data are in mem"):
            function(data, **{name: value})
    with pytest.raises(TypeError, match=r"got an unexpected keyword argument 'metrics'"):
        function(data, metrics="acc")
    function(data, metric=None, percent=False, join="auto")


def test_an_option_that_is_none_of_read_is_a_type_error(two):
    for function in (bt.compare, bt.count, bt.advise, bt.read):
        with pytest.raises(TypeError, match=r"\(\) got an unexpected keyword argument 'colour'"):
            function(two, colour="red")
    with pytest.raises(ValueError, match="metric='acc' does not apply: data are in memory"):
        bt.compare(bt.count(scores(np.array([A, B]).T, "AB")), metric="acc")
    with pytest.raises(ValueError, match="metric='acc' does not apply: data are in memory"):
        bt.compare(A, B, metric="acc")


# Dicts and arrays


def as_series(values, shift=0):
    order = np.roll(np.arange(8), shift)
    return pd.Series(values, ITEMS, dtype=float).iloc[order]


def as_array(values, shift=0):
    return xr.DataArray.from_series(as_series(values, shift)).rename({"index": "q"})


MADE = {
    "lists": {"A": A, "B": B, "C": C},
    "arrays": {"A": np.array(A), "B": np.array(B) > 0, "C": np.array(C, float)},
    "tuples and lists": {"A": tuple(A), "B": B, "C": np.array(C, object)},
    "Series": {"A": as_series(A), "B": as_series(B, 3), "C": as_series(C, 5)},
    "DataArrays": {"A": as_array(A), "B": as_array(B, 3), "C": as_array(C, 5)},
    "both": {"A": as_series(A), "B": as_array(B, 3), "C": as_series(C, 5)},
}


@pytest.mark.parametrize("data", MADE.values(), ids=list(MADE))
def test_a_dict_of_scores_is_a_table_of_them(data):
    wanted = scores(np.array([A, B, C], float).T)
    if isinstance(data["A"], pd.Series | xr.DataArray):
        wanted = wanted.assign_coords(item=ITEMS)
    same(bt.compare(data), bt.compare(wanted))
    xr.testing.assert_identical(bt.count(data), bt.count(wanted))
    assert str(bt.advise(data)) == str(bt.advise(wanted))
    picked = {"systems": ["C", "A"]}
    same(bt.compare(data, **picked), bt.compare(wanted, **picked))
    xr.testing.assert_identical(bt.count(data, **picked), bt.count(wanted.sel(system=["C", "A"])))


def test_a_system_that_is_named_may_be_called_as_labels_are():
    gold = bt.compare({"gold": A, "A": B}, systems=["gold", "A"])
    np.testing.assert_array_equal(gold["prob_better"], bt.compare({"B": A, "A": B})["prob_better"])


def test_a_dict_of_two_is_what_two_sequences_are():
    pair = bt.compare(A, B)
    same(bt.compare({"A": A, "B": B}), pair)
    first, second = as_series(A).rename("x"), as_series(B, 3).rename("y")
    same(bt.compare({"x": first, "y": second}), bt.compare(first, second))


@pytest.mark.parametrize("dtype", [float, int, bool, object])
def test_the_columns_of_an_array_are_named(dtype):
    values = np.array([A, B], dtype).T
    wanted = scores(np.array([A, B]).T, ["new", "old"])
    for given in ({"systems": ["new", "old"]}, {"systems": ("new", "old")}):
        same(bt.compare(values, **given), bt.compare(wanted))
        xr.testing.assert_identical(bt.count(values, **given), bt.count(wanted))
        assert str(bt.advise(values, **given)) == str(bt.advise(wanted))


@pytest.mark.parametrize("dtype", ["Int64", "boolean", "Float64", "object"])
def test_what_a_series_lacks_is_missing(dtype):
    data = {name: pd.Series(values, ITEMS, dtype=dtype) for name, values in MADE["lists"].items()}
    xr.testing.assert_identical(bt.count(data), bt.count(MADE["Series"]))


def test_what_a_mask_hides_is_missing():
    masked = np.ma.masked_array(np.array([A, B]).T, np.arange(16).reshape(8, 2) == 3)
    blank = np.array([A, B]).T
    blank[1, 1] = np.nan
    wanted = bt.count(scores(blank, "AB"))
    xr.testing.assert_identical(bt.count(masked, systems=["A", "B"]), wanted)
    apart = {"A": masked[:, 0], "B": masked[:, 1]}
    xr.testing.assert_identical(bt.count(apart), wanted)


def test_a_dict_of_paths_or_frames_is_read(tmp_path):
    paths = {"old": table(tmp_path / "a.csv", OLD), "new": table(tmp_path / "b.csv", NEW)}
    same(bt.compare(paths), bt.compare(bt.read(paths)))
    frames = {name: pd.read_csv(path) for name, path in paths.items()}
    same(bt.compare(frames), bt.compare(bt.read(frames)))
    xr.testing.assert_identical(bt.count(frames), bt.count(bt.read(frames)))
    assert bt.compare(paths, systems=["new", "old"])["system_a"].values.tolist() == ["new", "old"]
    assert str(bt.advise(frames)) == str(bt.advise(bt.read(frames)))


BAD = [
    ({}, {}, "data is an empty dict; give the scores of each system, or its path"),
    (
        {"A": A, "B": B, "C": C[:-1]},
        {},
        "system 'A' has 8 scores and system 'C' 7; by position they must be equally many",
    ),
    ({1: A, "1": B}, {}, "system '1' occurs more than once"),
    ({"A": A, " A": B}, {}, "system 'A' occurs more than once"),
    ({"A": "a.csv", "B": B}, {}, "system 'A' is a path and system 'B' is a list; give two of one"),
    (
        {"A": A, "B": pd.DataFrame({"s": B}), "C": C},
        {},
        "system 'A' is a list and system 'B' is a DataFrame; give all of one kind",
    ),
    (
        {"A": A, "B": as_series(B)},
        {},
        "system 'A' is a list and system 'B' is labelled; give two of one kind",
    ),
    (
        {"A": as_series(A), "B": as_series(B), "C": as_series(C)[1:]},
        {},
        r"system 'C' has no item 'q0' \(1 missing in all\); give all systems the same items",
    ),
    (
        {"A": as_series(A)[1:], "B": as_series(B)},
        {},
        r"system 'A' has no item 'q0' \(1 missing in all\); give both systems the same items",
    ),
    ({"A": pd.Series(A, ["q"] * 8), "B": as_series(B)}, {}, "system 'A' has item 'q' twice"),
    ({"A": A, "B": ["x"] * 7 + [1]}, {}, "system 'B' holds what is no number"),
    ({"A": A, "B": np.arange(8).astype("M8[D]")}, {}, "system 'B' holds what is no number"),
    ({"A": A, "B": np.array(B) + 1j}, {}, "system 'B' holds what is no number"),
    ({"A": A, "B": [[1, 0]] * 8}, {}, "system 'B' has 2 dims and 16 scores"),
    ([{"item": "q1", "A": 1, "B": 0}], {}, "data is a list of rows; give them as pandas.DataFrame"),
    ({"A": A, "B": {"q1": 1}}, {}, "system 'B' is dict; give its scores by item as pandas.Series"),
    ({"A": A, "B": 1}, {}, "system 'B' is int; give a list of scores, a Series, a DataArray or"),
    ({"A": [], "B": []}, {}, "system 'A' has 1 dims and 0 scores"),
    ({"A": A}, {}, "a comparison needs at least two systems; found only 'A'"),
    ({"A": A, "B": [np.inf, *B[1:]]}, {}, r"score at position \(0, 1\) is infinite"),
    ({"A": A, "B": B}, {"systems": ["A", "D"]}, "systems names 'D'; the data have A, B"),
    (
        {"y_true": A, "A": B, "B": C},
        {},
        r"system 'y_true': by its name holds the labels; pass systems=\['A', 'B'\] to name the",
    ),
    ({"A": A, "B": B, "difficulty": C}, {}, "system 'difficulty': by its name describes items"),
    ({"n": [3] * 8, "A": [1] * 7 + [2], "B": B}, {}, "system 'n': no score exceeds it on any"),
    (
        np.ones((8, 2)),
        {},
        r"data is ndarray; give scores \(item, system\), or pass systems=\[...\], names for its "
        "2 columns",
    ),
    (np.ones((8, 2)), {"systems": {"A": "B"}}, "or pass systems"),
    (np.ones((8, 2)), {"systems": "AB"}, "systems is str|or pass systems"),
    (
        np.ones((8, 2)),
        {"systems": ["A", "B", "C"]},
        "systems has 3 names and data 2 columns; give one name for each column",
    ),
    (np.ones((8, 2)), {"systems": ["A", "A "]}, "system 'A' occurs more than once"),
    (np.full((8, 2), "x"), {"systems": ["A", "B"]}, "data holds what is no number"),
    (np.ones((8, 2, 2)), {"systems": ["A", "B"]}, "data is ndarray; give scores"),
]


@pytest.mark.parametrize("function", [bt.compare, bt.count, bt.advise])
@pytest.mark.parametrize(("data", "given", "message"), BAD)
def test_what_cannot_be_put_together_is_refused_in_one_line(function, data, given, message):
    with pytest.raises(ValueError, match=message) as caught:
        function(data, **given)
    assert "\n" not in str(caught.value)


def test_names_that_look_the_same_are_warned_of():
    with pytest.warns(UserWarning, match="'bert' and 'BERT' differ only by blanks, case"):
        bt.count({"bert": A, "BERT": B})


def test_two_tables_of_one_name_are_refused(tmp_path):
    path = table(tmp_path / "a.csv", OLD)
    for function in (bt.read, bt.compare):
        with pytest.raises(ValueError, match="table '1' occurs more than once"):
            function({1: path, "1": path})


def test_two_frames_want_names():
    frame = pd.DataFrame({"item": ITEMS, "score": A})
    with pytest.raises(
        ValueError, match=r"data and other are DataFrames; give \{name: DataFrame\}"
    ):
        bt.compare(frame, frame)


@needs_samples()
@pytest.mark.filterwarnings("ignore:.* left out of the comparison. no score by")
def test_logs_of_tools_are_read_as_their_files_are():
    """Also their errors are the same."""
    compared = 0
    for folder in sorted(p for p in (*FORMATS.glob("*"), *FORMATS.glob("*/*")) if p.is_dir()):
        try:
            logs = bt.read_logs(folder)
        except ValueError:
            continue
        found, wanted = outcome(logs), outcome(folder)
        if isinstance(wanted, str) and "pass metric=" in wanted:
            assert found == wanted
            metric = wanted.rpartition("pass metric=")[2].strip("'")
            found, wanted = outcome(logs, metric=metric), outcome(folder, metric=metric)
        if isinstance(wanted, str):
            assert found == wanted, folder
        else:
            xr.testing.assert_identical(found, wanted)
            compared += 1
    assert compared >= 10


def outcome(source, **options):
    try:
        return bt.read(source, **options)
    except ValueError as error:
        return str(error)


N = 40
DRAWS = np.random.default_rng(5).random((2, N))
RIGHT = (DRAWS > 0.4).astype(float)
DOUBTED = {
    "less is better": {
        "names": {"wer_A": DRAWS[0], "wer_B": DRAWS[1]},
        "columns of frames": {
            k: pd.Series(x, name="errors") for k, x in zip("AB", RIGHT, strict=True)
        },
    },
    "not on one scale": {
        "lists": {"A": DRAWS[0].tolist(), "B": (100 * DRAWS[1]).tolist()},
        "Series": {"A": pd.Series(DRAWS[0]), "B": pd.Series(5 * DRAWS[1])},
    },
    "may mean missing": {"codes": {"A": np.where(DRAWS[0] < 0.2, -1, RIGHT[0]), "B": RIGHT[1]}},
}


@pytest.mark.parametrize(
    ("why", "data"), [(why, data) for why, cases in DOUBTED.items() for data in cases.values()]
)
def test_parts_in_memory_are_doubted_as_a_table_is(why, data):
    for function in (bt.compare, bt.count, bt.advise):
        with pytest.raises(ValueError, match=f"{why}.*pass a DataFrame with"):
            function(data)
    first, second = data.values()
    columns = np.stack([first, second], axis=1)
    if why == "less is better":
        frame = pd.DataFrame(columns, columns=["wer_A", "wer_B"])
        assert bt.compare(frame, higher_is_better=False).attrs["higher_is_better"] == 0
        stated = (
            pd.Series(np.asarray(first), name="errors"),
            pd.Series(np.asarray(second), name="errors"),
        )
        with pytest.raises(ValueError, match=why):
            bt.compare(*stated)
        for side in stated:
            side.attrs["higher_is_better"] = False
        assert bt.compare(*stated).attrs["higher_is_better"] == 0
        return
    with pytest.raises(ValueError, match=why):
        bt.compare(np.asarray(first), np.asarray(second))
    with pytest.raises(ValueError, match=why):
        bt.compare(columns, systems=["A", "B"])
    frame, scales = pd.DataFrame(columns, columns=["A", "B"]), why == "not on one scale"
    with pytest.warns(UserWarning, match=why) if scales else nullcontext():
        assert bt.compare(frame, systems=["A", "B"]).systems is not None


def _as_numpy_text(data, coordinate):
    text = data[coordinate].values.astype(np.dtypes.StringDType())
    return data.assign_coords({coordinate: (data[coordinate].dims, text)})


@pytest.mark.parametrize("cluster", [False, True])
def test_labels_may_be_any_text_of_numpy_and_pandas(cluster):
    columns = {"A": A, "B": B}
    parts = [xr.DataArray(x, dims="item", coords={"item": ITEMS}) for x in columns.values()]
    concatenated = xr.concat(parts, pd.Index(list(columns), name="system"))
    plain = concatenated.assign_coords(system=("system", list(columns)))
    labels = pd.Series([f"c{k // 2}" for k in range(8)])
    if cluster:
        plain = plain.assign_coords(cluster=("item", labels.to_list()))
        concatenated = concatenated.assign_coords(cluster=("item", labels))
    wanted = bt.compare(plain)
    for data in (concatenated, _as_numpy_text(plain, "system"), _as_numpy_text(plain, "item")):
        same(bt.compare(data), wanted)
        np.testing.assert_array_equal(bt.count(data), bt.count(plain))
        assert str(bt.audit(data)) == str(bt.audit(plain))
    trials = xr.Dataset({"successes": 2 * plain, "trials": 0 * plain + 3}).drop_vars(
        "cluster", errors="ignore"
    )
    same(bt.compare(_as_numpy_text(trials, "system")), bt.compare(trials))


def test_items_stacked_with_their_runs_are_items():
    """As those of a table: 20 tasks, and not 200 of which each ran once."""
    random = np.random.default_rng(7)
    chance = np.clip(random.beta(0.5, 0.5, (20, 2)), 0, 1)
    cube = xr.DataArray(
        (random.random((20, 10, 2)) < chance[:, None]) * 1.0,
        dims=("task", "epoch", "system"),
        coords={"task": [f"t{k}" for k in range(20)], "epoch": range(10), "system": ["A", "B"]},
    )
    stacked = cube.stack(item=("task", "epoch"))
    table = bt.read(cube.to_series().unstack("system").reset_index(), item="task")
    assert bt.compare(stacked).data.attrs["n_items"] == 20
    xr.testing.assert_equal(bt.compare(stacked)["prob_better"], bt.compare(table)["prob_better"])
    xr.testing.assert_equal(*(bt.sign_test(x)["p_value"] for x in (stacked, table)))
    both = (bt.scores.bootstrap(x, rng=1, draws=200)["prob_better"] for x in (stacked, table))
    xr.testing.assert_equal(*both)


def test_scores_that_were_turned_around_are_warned_of():
    errors = xr.DataArray(
        np.random.default_rng(0).gamma(4, 0.1, (40, 2)),
        dims=("item", "system"),
        coords={"system": ["old", "new"]},
        attrs={"higher_is_better": False},
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bt.compare(errors)
        bt.compare((-errors).assign_attrs(higher_is_better=True))
    with pytest.warns(UserWarning, match="No score is above 0, and lower ones count as better"):
        bt.compare(-errors)


def test_data_of_a_comparison_are_no_report(tmp_path):
    comparison = bt.compare(np.eye(4)[:, :2], systems=["A", "B"])
    with pytest.raises(ValueError, match="which is a part of it; give the comparison itself"):
        bt.report(comparison.data, path=tmp_path / "a.html")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("names", [("A", "B"), ("base", "tuned")])
def test_slices_of_an_array_have_the_names_of_their_systems(names):
    scores = xr.DataArray(
        (np.random.default_rng(0).random((100, 2)) < [0.5, 0.8]) * 1.0,
        dims=("item", "system"),
        coords={"item": range(100), "system": [*names]},
    )
    worse, better = (scores.sel(system=name) for name in names)
    for sides in ((better, worse), (worse, better)):
        assert bt.compare(*sides).statement()[0].startswith(f"{names[1]} is better than {names[0]}")
    assert bt.compare({"x": worse, "y": better}).statement()[0].startswith("y is better than x")


LEVELS = {
    "epoch": ([f"t{k // 2}" for k in range(40)], [k % 2 + 1 for k in range(40)], 20),
    "cluster": ([f"t{k}" for k in range(40)], [f"d{k // 5}" for k in range(40)], 8),
}


@pytest.mark.parametrize("level", LEVELS)
def test_levels_of_two_series_are_runs_and_clusters(level):
    items, labels, units = LEVELS[level]
    index = pd.MultiIndex.from_arrays([items, labels], names=["task", level])
    values = np.random.default_rng(7).integers(0, 2, (2, 40))
    first, second = (pd.Series(x, index, name=name) for x, name in zip(values, "ab", strict=True))
    table = bt.compare(pd.DataFrame({"a": first, "b": second}).reset_index(), item="task")
    for sides in ((first, second), ({"a": first, "b": second},)):
        series = bt.compare(*sides)
        assert series.data.attrs["n_units"] == units
        np.testing.assert_array_equal(series["prob_better"], table["prob_better"])


@pytest.mark.parametrize("name", ["cluster", "dataset", "item"])
def test_an_index_of_one_level_holds_the_ids_whatever_its_name(name):
    index = pd.Index([f"t{k}" for k in range(40)], name=name)
    values = np.random.default_rng(7).integers(0, 2, (2, 40))
    named, plain = ([pd.Series(x, i) for x in values] for i in (index, index.rename(None)))
    assert bt.compare(*named).provenance.unit == bt.compare(*plain).provenance.unit == "item"
    np.testing.assert_array_equal(
        bt.compare(*named)["prob_better"], bt.compare(*plain)["prob_better"]
    )


@pytest.mark.parametrize("cell", [(10**12, 0, 0), (0, 10**12, 0), (10**12, 1, 0)])
def test_counts_beyond_double_precision_are_one_error_without_a_warning(cell):
    with pytest.raises(ArithmeticError, match="items with one outcome and hardly one with another"):
        bt.compare(pd.DataFrame([["A", "B", *cell]], columns=[*SYSTEMS_OF_COUNTS, *COUNTS]))


def test_counts_of_1e12_with_losses_are_compared():
    frame = pd.DataFrame([["A", "B", 6 * 10**11, 5 * 10**11, 0]])
    frame.columns = [*SYSTEMS_OF_COUNTS, *COUNTS]
    assert bt.compare(frame).statement()[0] == "A is better than B (probability > 0.999)."
