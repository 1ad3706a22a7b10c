"""Text of a log that can be no name is refused where it would be one; free text may be anything."""

import json

import pytest

import betterthan as bt
from betterthan.logs.reading import read_runs
from betterthan.logs.recognising import find_files, sort_files

from . import made_inspect
from .test_every_eval_ever import row, write
from .test_swebench import REPORT, A
from .test_tau2 import INFO, simulation
from .test_tau2 import write as write_tau2

FREE = "\x1b[31m\0\x9b\ud800"


def _read(folder):
    return bt.read_logs(folder).records


@pytest.mark.parametrize(
    ("rows", "where"),
    [
        ([row("q0"), row("q0\0", 0.0)], r"a_samples\.jsonl, row 2: item 'q0\\x00' holds a control"),
        ([row("q0"), row("q0\x1c", 0.0)], r"row 2: item 'q0\\x1c' holds a control character"),
        ([row("q0"), row("q0", 0.0, "acc\0")], r"row 1: metric 'acc\\x00' holds a control"),
        ([row("q0", model="m\ud800")], r"a_samples\.jsonl: system 'm\\ud800' holds half of a"),
        ([row("q0", name="t\0")], r"a_samples\.jsonl: task 't\\x00' holds a control character"),
    ],
)
def test_names_in_a_log(tmp_path, rows, where):
    with pytest.raises(ValueError, match=where) as error:
        _read(write(tmp_path, rows))
    assert "\n" not in str(error.value)


def test_names_of_logs_of_other_tools(tmp_path):
    (tmp_path / "r.json").write_text(json.dumps(REPORT | {"resolved_ids": [f"{A}\ud800"]}))
    with pytest.raises(ValueError, match=r"^r\.json: item 'a__a-1\\ud800' holds half of a"):
        _read(tmp_path / "r.json")
    write_tau2(tmp_path / "t.json", [simulation("0"), simulation("0\ud800")])
    with pytest.raises(ValueError, match=r"^t\.json, row 2: item '0\\ud800' holds half of a"):
        _read(tmp_path / "t.json")


def test_names_given_to_logs(tmp_path):
    write(tmp_path, [row("q0")])
    for given in ({"systems": {"org/alpha": "a\0"}}, {"systems": lambda run: "a\0"}):
        with pytest.raises(ValueError, match=r"^system 'a\\x00' holds a control character"):
            bt.read_logs(tmp_path, **given)
    with pytest.raises(ValueError, match=r"^system 'a\\x00' holds a control character"):
        bt.read_logs({"a\0": tmp_path})


def test_a_cluster_by_metadata(tmp_path):
    log = [made_inspect.summary("q0") | {"metadata": {"group": "g\0"}}]
    header = json.dumps(made_inspect.header() | {"samples": log})
    (tmp_path / "a.json").write_text(header)
    with pytest.raises(ValueError, match=r"^a\.json, row 1: cluster 'g\\x00' holds a control"):
        bt.read_logs(tmp_path, cluster="group")


def test_a_prompt_and_an_answer_may_hold_anything(tmp_path):
    rows = [
        row(f"q{k}", sample_hash=None, input={"raw": raw, "formatted": raw}, output=FREE)
        for k, raw in enumerate([FREE, FREE + "\ud801", FREE + "\0", FREE + "?", "\\ud800"])
    ]
    found = _read(write(tmp_path, rows))
    assert found["item_hash"].nunique() == found["prompt_hash"].nunique() == len(rows)
    assert found["text"].nunique() == len(rows)


def test_an_error_may_hold_anything(tmp_path):
    (tmp_path / "a.json").write_text(
        json.dumps(
            made_inspect.header()
            | {"samples": [made_inspect.summary("q0") | {"error": {"message": FREE}}]}
        )
    )
    assert bt.read_logs(tmp_path).runs["why"].str.contains(r"\ud800", regex=False).all()


def test_a_prompt_that_names_an_item_is_escaped_and_differs_from_others(tmp_path):
    def rated(asked, score):
        return {"user_input": asked, "response": FREE, "faithfulness": score}

    rows = [rated("Who?" + FREE, 1.0), rated("Who?", 0.0), rated("Who?\0", 0.5)]
    (tmp_path / "a.json").write_text(json.dumps(rows))
    items = _read(tmp_path)["item"].astype(str).tolist()
    assert [name.rpartition(" #")[0] for name in items] == [
        r"Who?\x1b[31m\x00\x9b\ud800",
        "Who?",
        r"Who?\x00",
    ]


def test_settings_that_differ_in_half_a_character_are_two(tmp_path):
    for stem, last in (("a", "\ud800"), ("b", "\ud801")):
        header = made_inspect.header()
        header["eval"]["task_args"] = {"prompt": "x" * 300 + last}
        log = header | {"samples": [made_inspect.summary("q0")]}
        (tmp_path / f"{stem}.json").write_text(json.dumps(log))
    runs, _ = read_runs(sort_files(find_files(tmp_path)))
    assert runs[0].config != runs[1].config


@pytest.mark.parametrize("trial", [2**53 + 1, 10**300])
def test_an_epoch_beyond_counting(tmp_path, trial):
    write_tau2(tmp_path / "t.json", [simulation("0"), simulation("1", trial)])
    said = r"^t\.json, row 2: an epoch is at most 1,000,000, item '1' has .*number the runs"
    with pytest.raises(ValueError, match=said):
        _read(tmp_path)


def test_more_runs_than_were_ever_meant(tmp_path):
    log = INFO | {"num_trials": 10**15}
    write_tau2(tmp_path / "t.json", [simulation("0")], info=log)
    with pytest.raises(ValueError, match=r"^t\.json: names 2 items x 1,000,000,000,000,000 runs"):
        _read(tmp_path)


def test_a_number_of_too_many_digits(tmp_path):
    path = write(tmp_path, [row("q0")]) / "a_samples.jsonl"
    path.write_text(path.read_text().replace('"score": 1.0', '"score": ' + "9" * 5000))
    with pytest.raises(ValueError, match=r"row 1: not readable as JSON \(a number of more than 4"):
        _read(tmp_path)


def test_high_epochs_of_several_logs_are_counted_on(tmp_path):
    for stem in "ab":
        write_tau2(tmp_path / f"{stem}.json", [simulation("0", 10**6 - 1)], info=INFO)
    epochs = bt.read_logs(tmp_path, again="epochs").records["epoch"]
    assert epochs.max() == 2 * 10**6
