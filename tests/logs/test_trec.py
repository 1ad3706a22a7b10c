"""trec_eval -q and ir_measures -q: which column is the measure, and what `all` is."""

import pytest

from betterthan.logs import of_trec
from tests.logs.expected_records import expected, folder, log_files, rows

TREC = (
    "map                   \t{q}1\t0.2000\nP_5                   \t{q}1\t0.4000\n"
    "num_ret               \t{q}1\t5\n"
    "map                   \t{q}2\t0.5000\nP_5                   \t{q}2\t0.6000\n"
    "runid                 \tall\tstandard\nmap                   \tall\t0.3500\n"
    "P_5                   \tall\t0.5000\ngm_map                \tall\t0.3162\n"
)
IR = "{q}1\tAP\t0.2\n{q}1\tnDCG(dcg='log2')@10\t1\n{q}2\tAP\t0.5\nall\tAP\t0.35\n"


def write(path, text, q="q"):
    path.write_text(text.replace("{q}", q))
    return path


def read(*paths):
    return of_trec.runs(log_files(*paths))


@pytest.mark.parametrize("q", ["q", "30", "doc-"])
def test_the_layout_of_trec_eval(tmp_path, q):
    (run,) = read(write(tmp_path / "a.txt", TREC, q))
    assert run.tool == "trec_eval"
    assert run.cells.item == [f"{q}1", f"{q}2"]
    assert list(zip(run.cells.score_sample, run.cells.metric, run.cells.raw, strict=True)) == [
        (0, "map", 0.2),
        (0, "P_5", 0.4),
        (1, "map", 0.5),
        (1, "P_5", 0.6),
    ]
    assert run.reported == {"map": 0.35, "P_5": 0.5, "gm_map": 0.3162}
    assert run.system is None


@pytest.mark.parametrize("q", ["q", "30", "doc-"])
def test_the_layout_of_ir_measures(tmp_path, q):
    (run,) = read(write(tmp_path / "a.txt", IR, q))
    assert run.tool == "ir_measures"
    assert run.cells.item == [f"{q}1", f"{q}2"]
    assert run.metrics == ["AP", "nDCG(dcg='log2')@10"]
    assert run.reported == {"AP": 0.35}


@pytest.mark.parametrize(
    "text",
    [
        "q1 0 doc1 1\nq2 0 doc2 0\n",  # judgments of relevance
        "q1 Q0 doc1 1 0.5 run\n",  # a run
        "map q1\nmap q2\n",
        "a b 0.5\nc d 0.6\n",
        "map q1 high\nmap q2 low\n",
        "map AP 0.5\n",
        "item,a,b\n1,0,1\n",
        "some text of words\n",
    ],
)
def test_other_texts_are_not_theirs(tmp_path, text):
    assert not of_trec.recognises(log_files(write(tmp_path / "a.txt", text))[0].preview)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_ends_of_lines_and_a_mark_of_utf8(tmp_path, end):
    path = tmp_path / "a.txt"
    path.write_bytes(("\ufeff" + IR.replace("{q}", "q").replace("\n", end)).encode())
    assert of_trec.recognises(log_files(path)[0].preview)
    assert read(path)[0].cells.item == ["q1", "q2"]


def test_lines_that_are_there_twice(tmp_path):
    (run,) = read(write(tmp_path / "a.txt", TREC * 2))
    assert len(run.cells.raw) == 4
    bad = TREC + TREC.replace("0.4000", "0.9000")
    with pytest.raises(
        ValueError, match=r"^a\.txt, row 11, value 0\.9: P_5 of query 'q1' is there"
    ):
        read(write(tmp_path / "a.txt", bad))


@pytest.mark.parametrize(
    ("more", "what"),
    [
        ("map\tq3\n", r"row 10: has 2 fields where there are 3; is the file cut\?"),
        ("map\tq3\thigh\n", "row 10, column 'map', value 'high': is no score"),
        ("map\tq3\t1e400\n", "row 10, column 'map', value '1e400': is no finite number"),
    ],
)
def test_bad_lines_are_named(tmp_path, more, what):
    with pytest.raises(ValueError, match=rf"^a\.txt, {what}"):
        read(write(tmp_path / "a.txt", TREC * 1 + more))


def test_ids_that_are_not_utf_8_are_not_made_one(tmp_path):
    path = tmp_path / "a.txt"
    filler = "".join(f"map\tf{k}\t0.5\n" for k in range(9000)).encode()
    path.write_bytes(filler + b"map\tq\xfe\t0.5\nmap\tq\xff\t0.5\n")
    with pytest.raises(ValueError, match=r"^a\.txt, row 9001: not UTF-8; save the file as UTF-8"):
        read(path)


def test_a_blank_value_is_unscored(tmp_path):
    (run,) = read(write(tmp_path / "a.txt", TREC + "map\tq3\tnan\n"))
    assert run.cells.status[-1] == "unscored"


def test_means_alone_are_refused(tmp_path):
    path = write(tmp_path / "a.txt", "map\tall\t0.35\nP_5\tall\t0.5\n")
    assert of_trec.recognises(log_files(path)[0].preview)
    with pytest.raises(ValueError, match=r"a\.txt: holds no queries, .* run trec_eval -q"):
        read(path)


@pytest.mark.parametrize(("name", "files"), [("trec_eval_q", "run*"), ("ir_measures_q", "run*")])
def test_what_is_expected_of_the_samples(name, files):
    path = folder(f"trec/{name}")
    found = read(*sorted(path.glob(files)))
    wanted = expected(path)
    assert sorted(rows(found, lambda run: run.files[0].split(".")[0])) == sorted(wanted)
    for other in path.iterdir():
        recognised = of_trec.recognises(log_files(other)[0].preview)
        assert recognised == other.name.startswith("run")


def test_the_older_sample():
    (run,) = read(folder("trec") / "trec_eval_q.txt")
    assert run.cells.item == ["301", "302"]
    assert run.reported == {"map": 0.3679}
