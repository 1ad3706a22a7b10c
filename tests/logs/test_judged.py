"""Files of judgments: who won which game, and which games failed."""

import json

import pytest

from betterthan.io.pair_counts import judgments
from betterthan.logs.judgments import JUDGED, judgment_kind
from tests.logs.expected_records import folder, log_files


def write(path, rows):
    if path.suffix == ".json":
        path.write_text(json.dumps(rows))
    else:
        path.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows))
    return path


def read(path):
    (file,) = log_files(path)
    kind = judgment_kind(file.preview)
    assert kind is not None
    return kind.table(file)


def outcomes(table):
    return list(zip(*(table.columns[k] for k in ("model_a", "model_b", "winner")), strict=True))


def pair(g1, g2, q=81, **more):
    one = {"question_id": q, "model_1": "a", "model_2": "b", "g1_winner": g1, "g2_winner": g2}
    return one | {"judge": ["gpt-4", "pair-v2"], "turn": 1} | more


def games(*scores, uid="0001", **more):
    one = {"uid": uid, "judge": "gpt-4.1", "model": "m", "baseline": "base"}
    return one | {"games": [{"score": score} for score in scores]} | more


def preference(value, **more):
    one = {"instruction": "why?", "generator_1": "ref", "generator_2": "m", "annotator": "w"}
    return one | {"preference": value} | more


@pytest.mark.parametrize(
    ("g1", "g2", "winner"),
    [
        ("model_1", "model_1", "model_a"),
        ("model_2", "model_2", "model_b"),
        ("model_1", "model_2", "tie"),
        ("tie", "model_1", "tie"),
        ("tie", "tie", "tie"),
        ("error", "model_1", ""),
        ("model_2", "error", ""),
    ],
)
def test_mt_bench_counts_who_wins_both_games(tmp_path, g1, g2, winner):
    table = read(write(tmp_path / "a.jsonl", [pair(g1, g2), pair("tie", "tie", q=82)]))
    assert outcomes(table)[0] == ("a", "b", winner)
    assert table.columns["judge"][0] == "gpt-4, pair-v2"
    assert list(table.columns["cluster"]) == ["81", "82"]


@pytest.mark.parametrize(
    ("label", "winner"),
    [
        ("A>>B", "model_a"),
        ("A>B", "model_a"),
        ("B<A", "model_a"),
        ("B<<A", "model_a"),
        ("A=B", "tie"),
        ("B=A", "tie"),
        ("B>A", "model_b"),
        ("B>>A", "model_b"),
        ("A<B", "model_b"),
        ("A<<B", "model_b"),
        (None, ""),
    ],
)
def test_arena_hard_exchanges_the_sides_of_the_second_game(tmp_path, label, winner):
    table = read(write(tmp_path / "a.jsonl", [games(label, label)]))
    assert outcomes(table) == [("base", "m", winner), ("m", "base", winner)]
    assert list(table.columns["order"]) == ["1", "2"]


def test_arena_hard_keeps_the_judged_game_of_a_pair(tmp_path):
    table = read(write(tmp_path / "a.jsonl", [games(None, "A<<B"), games("A>B", uid="0002")]))
    data = judgments(table).data
    assert data.attrs == {"n": 2, "n_missing": 1}
    assert data["system_a"].values.tolist() == ["m", "base"]
    assert data["outcome"].values.tolist() == [-1, 1]
    assert data["cluster"].values.tolist() == ["0001", "0002"]


def test_a_baseline_that_is_not_named(tmp_path):
    row = {k: v for k, v in games("A>B", question_id="q").items() if k not in ("uid", "baseline")}
    assert outcomes(read(write(tmp_path / "a.jsonl", [row]))) == [("baseline", "m", "model_a")]


@pytest.mark.parametrize("name", ["a.json", "a.jsonl"])
def test_alpaca_eval(tmp_path, name):
    given = [preference(x) for x in (1, 1.4999, 1.5, 1.9987, 2.0, None, float("nan"))]
    table = read(write(tmp_path / name, given))
    assert [winner for _, _, winner in outcomes(table)] == [
        "model_a",
        "model_a",
        "tie",
        "model_b",
        "model_b",
        "",
        "",
    ]
    assert len(set(table.columns["cluster"])) == 1
    draw = read(write(tmp_path / name, [preference(0), preference(1.0)]))
    assert [winner for _, _, winner in outcomes(draw)] == ["tie", "model_a"]


def test_alpaca_eval_warns_where_the_mean_preference_favors_the_other_system(tmp_path):
    path = write(tmp_path / "a.json", [preference(x) for x in (1.45, 1.4, 1.99)])
    first, second, _ = outcomes(read(write(tmp_path / "b.json", [preference(1)])))[0]
    message = f"most preferences favor '{first}', and their mean favors '{second}'; each counts"
    with pytest.warns(UserWarning, match=message):
        table = read(path)
    assert [winner for *_, winner in outcomes(table)] == ["model_a", "model_a", "model_b"]
    read(write(tmp_path / "c.json", [preference(x) for x in (1.45, 1.4, 1.6)]))  # no warning


def test_one_column_for_each_outcome(tmp_path):
    header = "id,model_a,model_b,prompt,winner_model_a,winner_model_b,winner_tie"
    rows = [header, "1,a,b,x,1,0,0", "2,b,c,y,0,1,0", "3,a,c,x,0.0,0.0,1.0"]
    table = read(write(tmp_path / "a.csv", rows))
    assert [winner for _, _, winner in outcomes(table)] == ["model_a", "model_b", "tie"]
    first, second, third = table.columns["cluster"]
    assert first == third != second


HEADER = "model_a,model_b,winner_model_a,winner_model_b,winner_tie"


@pytest.mark.parametrize(
    ("name", "rows", "what"),
    [
        ("a.jsonl", [pair("model_1", "draw")], "row 1, column 'g2_winner', value 'draw': unknown"),
        ("a.jsonl", [pair("tie", ["tie"])], "row 1, column 'g2_winner', value .*: unknown"),
        ("a.jsonl", [pair("tie", "tie", model_1=None)], "row 1, column 'model_1': is blank"),
        ("a.jsonl", [games("A>>>B")], "row 1, column 'score', value 'A>>>B': unknown verdict"),
        ("a.jsonl", [games("A>B") | {"games": []}], "row 1: holds 0 games"),
        ("a.jsonl", [games("A>B", "A>B", "A>B")], "row 1: holds 3 games"),
        ("a.jsonl", [games("A>B") | {"games": ["A>B"]}], "row 1, .* is no object"),
        ("a.json", [preference(0.5)], "row 1, column 'preference', value 0.5: is no preference"),
        ("a.json", [preference(2.1)], "row 1, column 'preference', value 2.1: is no"),
        ("a.json", [preference(True)], "row 1, column 'preference', value True: is no"),
        ("a.json", [preference("B")], "row 1, column 'preference', value 'B': is no"),
        ("a.csv", [HEADER, "a,b,1,0,1"], r"row 2, value \['1', '0', '1'\]: one of winner_model_a"),
        ("a.csv", [HEADER, "a,b,0,0,0"], "row 2, value .*: one of winner_model_a"),
        ("a.csv", [HEADER, "a,b,1,,x"], "row 2, value .*: one of winner_model_a"),
        ("a.csv", [HEADER, "a,b,1,0"], r"row 2: has 4 cells .* is the file cut\?"),
        ("a.csv", [HEADER], "holds no judgments"),
    ],
)
def test_bad_input_is_named(tmp_path, name, rows, what):
    path = write(tmp_path / name, rows)
    with pytest.raises(ValueError, match=rf"^{name}(, |: ){what}"):
        read(path)


@pytest.mark.parametrize(
    "rows",
    [
        [pair("tie", "tie")],
        [games("A>B", "B>A")],
        [preference(1), preference(2)],
        ["id," + HEADER, "1,a,b,1,0,0"],
    ],
)
def test_a_file_appended_to_itself_is_refused(tmp_path, rows):
    twice = rows + (rows[1:] if isinstance(rows[0], str) else rows)
    with pytest.raises(ValueError, match=r"row \d: is the same as row [12]; leave it out"):
        read(write(tmp_path / "a.txt", twice))


def test_votes_without_ids_may_be_equal(tmp_path):
    table = read(write(tmp_path / "a.csv", [HEADER, "a,b,1,0,0", "a,b,1,0,0"]))
    assert len(outcomes(table)) == 2


@pytest.mark.parametrize(
    "rows",
    [
        ["model_a,model_b,winner", "a,b,model_a"],
        [{"model": "m", "games": 3}],
        [{"model_1": "a", "model_2": "b", "winner": "tie"}],
        ["generator_1,generator_2", "a,b"],
    ],
)
def test_other_files_are_none_of_them(tmp_path, rows):
    (file,) = log_files(write(tmp_path / "a.txt", rows))
    assert judgment_kind(file.preview) is None


def test_every_kind_is_recognised_by_itself_alone(tmp_path):
    given = {
        "one_hot": [HEADER, "a,b,1,0,0"],
        "mt_bench": [pair("tie", "tie")],
        "arena_hard": [games("A>B")],
        "alpaca_eval": [preference(1)],
    }
    assert list(given) == [kind.name for kind in JUDGED]
    for name, rows in given.items():
        (file,) = log_files(write(tmp_path / "a.txt", rows))
        assert [kind.name for kind in JUDGED if kind.recognises(file.preview)] == [name]


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("arena/kaggle_onehot.csv", ["model_a", "model_b", "tie"]),
        ("arena/mt_bench_gpt-4_pair.jsonl", ["tie", "model_b", "tie", ""]),
        ("alpaca_eval/annotations.json", ["model_a", "model_b", "tie", ""]),
    ],
)
def test_the_samples(name, wanted):
    path = folder("arena").parent / name
    assert [winner for _, _, winner in outcomes(read(path))] == wanted


def test_the_sample_of_arena_hard():
    base, model = "o3-mini-2025-01-31", "qwq-32b"
    assert outcomes(read(folder("arena") / "arena_hard_judgment.jsonl")) == [
        (base, model, "model_a"),
        (model, base, "model_b"),
        (base, model, "model_a"),
        (model, base, "tie"),
        (base, model, ""),
        (model, base, "model_b"),
    ]
