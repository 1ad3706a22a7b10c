"""Numbers are taken as they are written, or refused: none wraps, is rounded, or is a word."""

import json
import re

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import betterthan as bt
from betterthan import schemas

MOST = 2**53
COUNTS = "system_a,system_b,wins,losses,ties\nA,B,{},3,4\n"
TALLIES = "system,item,tp,fp,fn\nA,q1,{},0,1\nB,q1,1,1,0\n"


def written(tmp_path, text, name="t.csv"):
    path = tmp_path / name
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    "count", [MOST + 1, 2**63, 2**64 - 1, 2**64 + 5, 10**400, "9007199254740993.0"]
)
def test_a_count_that_would_wrap_or_round_is_refused(tmp_path, count):
    with pytest.raises(ValueError, match=r"^t\.csv, row 2, column 'wins', value ") as error:
        bt.read(written(tmp_path, COUNTS.format(count)))
    assert "too large" in str(error.value) or "infinite" in str(error.value)
    assert len(str(error.value)) < 250
    if isinstance(count, int) and count < 10**300:
        frame = pd.DataFrame({"system_a": ["A"], "system_b": ["B"], "losses": [3]})
        with pytest.raises(ValueError, match=r"row 0, column 'wins'.*too large"):
            bt.read(frame.assign(wins=[count]))


def test_the_largest_count_is_read(tmp_path):
    counts = bt.read(written(tmp_path, COUNTS.format(MOST - 8)))
    assert counts.sel(system_a="A", system_b="B", outcome="win").item() == MOST - 8


@pytest.mark.parametrize("tally", [2**41, MOST + 1, 2**64 + 5])
def test_a_tally_that_would_wrap_or_round_is_refused(tmp_path, tally):
    with pytest.raises(ValueError, match=r"^t\.csv, row 2, column 'tp', .*too large"):
        bt.read(written(tmp_path, TALLIES.format(tally)))


@pytest.mark.parametrize(
    "entry",
    [
        (MOST + 1, 1, 2),
        (2**64 + 5, 1, 2),
        (2**64 - 1, 1, 2),
        (float(MOST), 1, 2),
        (1e300, 1, 2),
        (MOST + 1, 1.0, 2),
        np.array([2**63 + 1, 1, 2], dtype=np.uint64),
    ],
)
def test_counts_of_a_table(entry):
    with pytest.raises(ValueError, match=r"counts of \('A', 'B'\) hold .*too large"):
        bt.counts.from_table({("A", "B"): entry})


def counts_of(values):
    """An array of counts of one pair."""
    coords = {"system_a": ["A"], "system_b": ["B"], "outcome": ["win", "loss", "tie"]}
    frame = xr.DataArray([values], dims=("pair", "outcome"), coords={"outcome": coords["outcome"]})
    return frame.assign_coords(system_a=("pair", ["A"]), system_b=("pair", ["B"]))


@pytest.mark.parametrize(
    "values",
    [
        np.array([2**63 + 1, 1, 2], dtype=np.uint64),
        np.array([1e300, 1, 2]),
        np.array([MOST + 1, 1, 2]),
        np.array([MOST - 1, MOST - 1, 2]),
    ],
)
def test_counts_of_an_array(values):
    with pytest.raises(ValueError, match="too large to be exact"):
        bt.prob_better(counts_of(values))


@pytest.mark.parametrize(
    "values",
    [
        np.array([[2**63 + 1, 0, 1], [1, 1, 0]], dtype=np.uint64),
        np.array([[1e300, 0, 1], [1, 1, 0]]),
        np.array([[MOST + 1, 0, 1], [1, 1, 0]]),
    ],
)
def test_tallies_of_an_array(values):
    coords = {"item": ["q"], "system": ["A", "B"], "tally": ["tp", "fp", "fn"]}
    tallies = xr.DataArray(values[None], dims=("item", "system", "tally"), coords=coords)
    with pytest.raises(ValueError, match="too large to be exact"):
        schemas.tallies(tallies)


def test_a_sum_of_tallies_that_would_round():
    values = np.full((3, 2, 3), MOST // 4)
    coords = {"item": list("pqr"), "system": ["A", "B"], "tally": ["tp", "fp", "fn"]}
    tallies = xr.DataArray(values, dims=("item", "system", "tally"), coords=coords)
    with pytest.raises(ValueError, match=r"summed, hold .*too large"):
        schemas.tallies(tallies)


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        (["1", "-nan", "0"], "row 3, column 'A', value '-nan': not a number"),
        (["1", "+NaN", "0"], "row 3, column 'A', value '+NaN': not a number"),
        (["1", "TRUE", "2"], "row 3, column 'A', value 'TRUE': true or false in a column that"),
        (["false", "0.5", "1"], "row 2, column 'A', value 'false': true or false in a column"),
    ],
)
def test_what_is_no_number(tmp_path, cells, said):
    rows = "".join(f"q{k},{cell},1\n" for k, cell in enumerate(cells))
    with pytest.raises(ValueError, match=f"^t.csv, {re.escape(said)}"):
        bt.read(written(tmp_path, f"item,A,B\n{rows}"))


def test_true_beside_two_in_json_and_frames(tmp_path):
    path = written(tmp_path, '[{"A": true, "B": 1}, {"A": 2, "B": 1}, {"A": 1, "B": 0}]', "t.json")
    with pytest.raises(ValueError, match=r"^t\.json, row 1, column 'A', value True: true or false"):
        bt.read(path)
    frame = pd.DataFrame({"A": [1, True, 3], "B": [1, 2, 3]}, dtype=object)
    with pytest.raises(ValueError, match="row 1, column 'A', value True: true or false"):
        bt.read(frame)


def test_true_beside_one_and_blanks_is_read(tmp_path):
    scores = bt.read(written(tmp_path, "item,A,B\nq1,TRUE,1\nq2,1,0\nq3,,1\nq4,False,0\n"))
    np.testing.assert_array_equal(scores.sel(system="A"), [1, 1, np.nan, 0])


def test_an_int_of_five_thousand_digits_in_json(tmp_path):
    path = written(tmp_path, '[{"A": 1, "B": ' + "1" * 5000 + "}]", "t.json")
    with pytest.raises(ValueError, match=r"^t\.json"):
        bt.read(path)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("item,A,B\nq1,1,0\n  ,1,0\n", "row 3, column 'item', value '  ': blank"),
        ("id,gold,A,B\nq1,x,x,y\nq2,  ,x,y\n", "row 3, column 'gold', value '  ': blank"),
        ("id,cluster,A,B\nq1, ,1,0\n", "row 2, column 'cluster', value ' ': blank"),
        ("system,item,score\nA, ,1\nB,q1,1\n", "row 2, column 'item', value ' ': blank"),
    ],
)
def test_a_label_of_blanks_is_blank(tmp_path, text, said):
    with pytest.raises(ValueError, match=f"^t.csv, {re.escape(said)}"):
        bt.read(written(tmp_path, text))


def test_a_prediction_of_blanks_is_missing_not_wrong(tmp_path):
    path = written(tmp_path, "id,gold,A,B\nq1,x,  ,x\nq2,y,y,x\n")
    np.testing.assert_array_equal(bt.read(path).values, [[np.nan, 1], [1, 0]])
    assert bt.labels.read(path).values.tolist() == [["", "x"], ["y", "x"]]


@pytest.mark.parametrize("prior", [(1e300, 1, 1), (1, 1e10, 1), (1, 1, 1e308)])
def test_a_prior_that_no_data_could_speak_against(prior):
    with pytest.raises(ValueError, match=r"^prior for (win|loss|tie) is 1e\+.*give at most 1e\+09"):
        bt.compare(bt.datasets.contingency_case("a"), prior=prior)


def test_a_column_of_a_confusion_matrix_that_sums_to_too_much(tmp_path):
    rows = f"p,a,b\na,{MOST - 1},1\nb,2,3\nunclassified,4,0\n"
    with pytest.raises(ValueError, match=r"^c\.csv: actual_counts hold .*too large to be exact"):
        bt.labels.read_confusion(written(tmp_path, rows, "c.csv"))


def test_a_frame_without_columns():
    with pytest.raises(ValueError, match=r"^DataFrame: has no columns; give column names"):
        bt.read(pd.DataFrame(index=[0, 1]))


def test_an_id_that_a_frame_has_made_a_float():
    frame = pd.DataFrame({"item": [MOST + 1, None], "A": [1, 0], "B": [0, 1]}).dropna()
    with pytest.raises(ValueError, match=r"row 0, column 'item', value .*: a float too large"):
        bt.read(frame)
    whole = pd.DataFrame({"item": [MOST + 1, MOST], "A": [1, 0], "B": [0, 1]})
    assert bt.read(whole)["item"].values.tolist() == [str(MOST + 1), str(MOST)]


VANISHING = ["1e-400", "-1E-500", f"0.{400 * '0'}1"]


@pytest.mark.parametrize("other", ["0.5", "", '"x"'])
@pytest.mark.parametrize("literal", VANISHING)
def test_a_number_that_would_be_read_as_0_is_refused(tmp_path, literal, other):
    rows = [{"item": "q1", "A": 1}, {"item": "q2", "A": "?"}]
    table = f"item,A,B\nq1,0.25,1\nq2,{literal},0\nq3,{other},1\n"
    said = r"row 3, column 'A', value '.*: so close to 0 that it would be read as 0"
    if other != '"x"':
        with pytest.raises(ValueError, match=rf"^t\.csv, {said}"):
            bt.read(written(tmp_path, table))
    lines = [json.dumps(row | {"B": 0}).replace('"?"', literal) for row in rows]
    said = r"not readable as JSON \('.* is so close to 0 that it would be read as 0; write 0"
    for name, text in (("t.jsonl", "\n".join(lines)), ("t.json", f"[{',\n'.join(lines)}]")):
        with pytest.raises(ValueError, match=rf"^{name}, row 2: {said}"):
            bt.read(written(tmp_path, text, name))


@pytest.mark.parametrize("literal", ["0e-400", "0.000", "-0", "1e-99"])
def test_zero_and_small_numbers_are_read(tmp_path, literal):
    scores = bt.read(written(tmp_path, f"item,A,B\nq1,{literal},1\nq2,1,0\n"))
    assert scores.sel(item="q1", system="A").item() == float(literal)


@pytest.mark.parametrize("cells", [["1,100", "1,250"], ["2,000", "12,345"]])
def test_commas_may_separate_thousands(cells):
    table = pd.DataFrame({"item": ["q1", "q2"], "A": cells, "B": cells})
    with pytest.raises(
        ValueError, match="leave the commas out if they separate thousands, or pass"
    ):
        bt.read(table)
    assert bt.read(pd.DataFrame({"A": ["1,5", "0,25"], "B": ["0,5", "1,0"]}), decimal=",").size == 4


@pytest.mark.parametrize(("value", "number"), [("1e308", "1e308"), (-2e150, "-2e\\+150")])
@pytest.mark.parametrize("systems", ["ab", "abc"])
def test_scores_whose_squares_are_no_numbers_are_refused_where_they_are(value, number, systems):
    frame = pd.DataFrame({"item": ["p", "q", "r"]} | {s: ["2", 1, value] for s in systems})
    message = f"^DataFrame, row 2, column 'a', value '?{number}'?: too large .* at most 1e\\+100"
    with pytest.raises(ValueError, match=message):
        bt.read(frame)
    with pytest.raises(ValueError, match=r"score at position \(2, 0\) is .* at most 1e\+100"):
        bt.compare({system: [2, 1, float(value)] for system in systems})


@pytest.mark.parametrize("large", [MOST + 1, -MOST - 1, 2**70])
def test_whole_scores_that_would_be_rounded_and_tie(tmp_path, large):
    message = r"{}{}.*too large to be exact.* at most 9,007,199,254,740,992 in size$"
    cell = message.format("row 3, column 'B', value '?", large)
    with pytest.raises(ValueError, match=cell):
        bt.read(written(tmp_path, f"id,A,B\nq1,{MOST},1\nq2,1,{large}\n"))
    long = pd.DataFrame({"item": ["p", "p"], "system": ["A", "B"], "score": [MOST, large]})
    with pytest.raises(ValueError, match=message.format("column 'score', value ", large)):
        bt.read(long)
    for scores in ([MOST, large], [0.5, large], np.array([0, large]), pd.Series([0, large])):
        with pytest.raises(ValueError, match=message.format("^scores of .* hold ", large)):
            bt.compare({"A": scores, "B": scores})
    if -(2**63) <= large < 2**63:
        array = xr.DataArray([[1, large]], dims=("item", "system"), coords={"system": ["A", "B"]})
        with pytest.raises(ValueError, match=message.format("^scores hold ", large)):
            bt.compare(array)


def test_large_scores_that_are_no_whole_numbers_are_exact_enough(tmp_path):
    path = written(tmp_path, f"id,A,B\nq1,1e16,{MOST}\nq2,-{MOST},2.5e20\n")
    assert bt.read(path).values.tolist() == [[1e16, MOST], [-MOST, 2.5e20]]
