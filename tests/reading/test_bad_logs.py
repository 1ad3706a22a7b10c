"""What is wrong with logs is one line, or a listed skip: never a traceback, never a guess."""

import json
import math
import os
import zipfile

import pytest
from logs import made_inspect, made_lm_eval

import betterthan as bt


def folder_of(tmp_path, name="logs"):
    folder = tmp_path / name
    folder.mkdir(exist_ok=True)
    return folder


def rows(scores, **more):
    """Rows of a tool, by question."""
    return [{"user_input": q, "response": "...", "right": s, **more} for q, s in scores.items()]


def two(folder, old, new):
    for name, one in (("old", old), ("new", new)):
        (folder / f"{name}.json").write_text(json.dumps(one))
    return folder


CONTENT = {
    "empty": (b"", "is empty"),
    "blank": (b" \n\n", "is empty"),
    "an empty list": (b"[]", "a log of a tool|is empty|no log"),
    "an empty object": (b"{}", "not a list of objects.*a log of a tool that is read"),
    "a Git LFS pointer": (b"version https://git-lfs.github.com/spec/v1\noid sha256:1\n", "git lfs"),
    "a web page": (b"<!DOCTYPE html><html><body>404</body></html>", "JSON|web page"),
    "UTF-16": ("[1]".encode("utf-16"), "UTF-16|UTF-8|binary"),
    "300 levels": (b"[" * 300 + b"]" * 300, "is not an object|not an object|nested"),
    "an aggregate alone": (b'{"accuracy": 0.7, "n": 100}', "a log of a tool that is read"),
    "a cut line": (b'[{"user_input": "q", "response": "x", "right": 1}, {"user_in', "JSON"),
    "NaN alone": (b"NaN", "JSON|object|list"),
}


@pytest.mark.parametrize(("content", "said"), CONTENT.values(), ids=CONTENT)
def test_content_that_is_no_log(tmp_path, content, said):
    path = tmp_path / "r.json"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=rf"r\.json.*({said})") as error:
        bt.read(path)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(("content", "said"), CONTENT.values(), ids=CONTENT)
def test_of_a_folder_what_is_no_log_is_skipped_or_refused(tmp_path, content, said, caplog):
    folder = two(folder_of(tmp_path), rows({"q1": 1, "q2": 0}), rows({"q1": 1, "q2": 1}))
    (folder / "r.json").write_bytes(content)
    with caplog.at_level("INFO", "betterthan"):
        try:
            found = bt.read(folder)
        except ValueError as error:
            assert "r.json" in str(error)  # noqa: PT017  # one of the two, and always by name
        else:
            assert found["system"].values.tolist() == ["new", "old"]
            assert "r.json" in caplog.text


def test_a_document_and_a_cut_archive_are_no_logs(tmp_path):
    document = tmp_path / "report.docx"
    with zipfile.ZipFile(document, "w") as file:
        file.writestr("word/document.xml", "<w/>")
    with pytest.raises(ValueError, match=r"report.docx: unknown file type"):
        bt.read(document)
    log = made_inspect.eval_log(
        tmp_path / "a.eval", made_inspect.header(), [made_inspect.summary("q0")]
    )
    path = tmp_path / "a.eval"
    path.write_bytes(path.read_bytes()[:-40])
    document.unlink()
    for name in "bc":
        head = made_inspect.header(f"org/{name}")
        made_inspect.eval_log(tmp_path / f"{name}.eval", head, [made_inspect.summary("q0")])
    with pytest.raises(ValueError, match=r"a\.eval: is a zip file that is cut or damaged, and no"):
        bt.read(tmp_path)  # of a folder, too
    with pytest.raises(ValueError, match=r"a\.eval"):
        bt.read(path)
    assert log is None or log == path


def test_line_ends_and_marks_of_order_do_not_matter(tmp_path):
    folder = folder_of(tmp_path)
    for name, end in (("old", b"\r\n"), ("new", b"\n")):
        lines = [json.dumps(row).encode() for row in rows({"q1": 1, "q2": 0})]
        (folder / f"{name}.jsonl").write_bytes(b"\xef\xbb\xbf" + end.join(lines) + end)
    assert bt.read(folder).values.tolist() == [[1, 1], [0, 0]]


@pytest.mark.parametrize(
    ("value", "expected"),
    [(math.nan, None), (None, None), ("0.5", 0.5), (True, 1.0), (1e400, None)],
)
def test_values_that_are_and_are_no_scores(tmp_path, value, expected):
    scores = {"q1": 1, "q2": value, "q3": 0}
    folder = two(folder_of(tmp_path), rows(scores), rows({"q1": 1, "q2": 1, "q3": 0}))
    try:
        found = bt.read(folder).sel(system="old").values[1]
    except ValueError as error:
        assert expected is None or "50%" in str(value)
        assert "old.json" in str(error)  # noqa: PT017
    else:
        assert found == expected or (expected is None and math.isnan(found))


@pytest.mark.parametrize("value", ["50%", {"a": 1}, [1, 2]])
def test_a_score_of_another_kind_is_refused_with_its_place(tmp_path, value):
    folder = two(folder_of(tmp_path), rows({"q1": 1, "q2": value}), rows({"q1": 1, "q2": 1}))
    with pytest.raises(ValueError, match=r"old\.json|metric|score"):
        bt.read(folder)


def test_one_system_and_no_common_item(tmp_path):
    folder = folder_of(tmp_path)
    (folder / "old.json").write_text(json.dumps(rows({"q1": 1})))
    with pytest.raises(ValueError, match="only one system, 'old'"):
        bt.read(folder)
    (folder / "new.json").write_text(json.dumps(rows({"q2": 1})))
    assert bt.read(folder).isnull().sum() == 2
    with pytest.raises(ValueError, match="have no item in common"):
        bt.compare(bt.read(folder))


def test_a_metric_that_one_system_lacks(tmp_path):
    more = [{**row, "other": 1.0} for row in rows({"q1": 1, "q2": 0})]
    folder = two(folder_of(tmp_path), rows({"q1": 1, "q2": 1}), more)
    with pytest.raises(ValueError, match=r"2 metrics: right \(4\), other \(2\)"):
        bt.read(folder)
    with pytest.raises(ValueError, match="only one system, 'new'"):
        bt.read(folder, metric="other")


def test_keys_given_twice_and_ids_of_two_kinds(tmp_path):
    folder = folder_of(tmp_path)
    (folder / "old.jsonl").write_text(
        '{"user_input": "q1", "response": "x", "right": 1, "right": 0}\n'
    )
    (folder / "new.jsonl").write_text('{"user_input": "q1", "response": "x", "right": 1}\n')
    with pytest.raises(
        ValueError, match=r"old\.jsonl, row 1: the key 'right' occurs twice in one object"
    ):
        bt.read(folder)


def test_samples_without_results_need_a_name_and_results_alone_need_samples(tmp_path):
    for name in ("one", "two"):
        made_lm_eval.samples(
            tmp_path / name, "toy", [made_lm_eval.row(0), made_lm_eval.row(1, 0.0)]
        )
    found = bt.read({"a": tmp_path / "one", "b": tmp_path / "two"})
    assert found["system"].values.tolist() == ["a", "b"]
    alone = tmp_path / "alone"
    alone.mkdir()
    made_lm_eval.written(alone, made_lm_eval.results({"toy": {"acc,none": 0.5}}))
    with pytest.raises(ValueError, match="log_samples"):
        bt.read(alone)


def test_links_that_lead_out_or_in_a_circle_are_not_followed(tmp_path):
    folder = two(folder_of(tmp_path), rows({"q1": 1, "q2": 0}), rows({"q1": 1, "q2": 1}))
    os.symlink(folder, folder / "again", target_is_directory=True)
    outside = tmp_path / "third.json"
    outside.write_text(json.dumps(rows({"q1": 0, "q2": 0})))
    os.symlink(outside, folder / "third.json")
    os.symlink(tmp_path / "gone.json", folder / "fourth.json")
    with pytest.warns(UserWarning, match="nowhere, are left out: 'fourth.json', 'third.json'; nam"):
        assert bt.read(folder)["system"].values.tolist() == ["new", "old"]
    (tmp_path / "links").mkdir()
    os.symlink(outside, tmp_path / "links" / "third.json")
    with (
        pytest.warns(UserWarning, match="are left out: 'third.json'"),
        pytest.raises(ValueError, match="is a folder without a file"),
    ):
        bt.read(tmp_path / "links")


def test_a_folder_that_cannot_be_listed_is_refused(tmp_path, monkeypatch):
    folder = two(folder_of(tmp_path), rows({"q1": 1, "q2": 0}), rows({"q1": 1, "q2": 1}))
    (folder / "closed").mkdir()
    listing = os.scandir

    def scandir(path):
        if os.path.basename(path) == "closed":
            raise PermissionError(13, "Permission denied")
        return listing(path)

    monkeypatch.setattr(os, "scandir", scandir)
    with pytest.raises(ValueError, match=r"closed.*: cannot be listed \(Permission denied\)"):
        bt.read(folder)


@pytest.mark.parametrize("function", [bt.read, bt.compare, bt.audit])
def test_an_empty_path_is_not_this_folder(function, tmp_path, monkeypatch):
    two(tmp_path, rows({"q1": 1, "q2": 0}), rows({"q1": 1, "q2": 1}))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match="the path of a source is empty"):
        function("")


def test_a_pipe_is_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe.json")
    with pytest.raises(ValueError, match="pipe or a device"):
        bt.read(tmp_path / "pipe.json")


def test_logs_of_two_tools_in_a_folder_are_not_mixed_in_silence(tmp_path):
    folder = two(folder_of(tmp_path), rows({"q1": 1, "q2": 0}), rows({"q1": 1, "q2": 1}))
    for system in ("a", "b"):
        made_lm_eval.samples(folder / system, "toy", [made_lm_eval.row(0)])
        made_lm_eval.written(
            folder / system, made_lm_eval.results({"toy": {"acc,none": 1.0}}, model=system)
        )
    with pytest.raises(ValueError, match=r"logs of lm-eval and ragas; pass format="):
        bt.read(folder)
