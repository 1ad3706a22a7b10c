"""sacrebleu -sl: lines are items, and signatures must be equal."""

import pytest

from betterthan.logs import of_sacrebleu
from betterthan.logs.reading import read_logs
from tests.logs.expected_records import expected, folder, log_files, rows

SIGNED = "nrefs:1|case:mixed|eff:yes|tok:13a|smooth:exp|version:2.6.0"


def write(path, *scores, metric="BLEU", signed=SIGNED):
    path.write_text("".join(f"{metric}|{signed} = {x} 75.0/63.6 (BP = 1.000)\n" for x in scores))
    return path


def read(*paths):
    assert all(of_sacrebleu.recognises(file.preview) for file in log_files(*paths))
    return of_sacrebleu.runs(log_files(*paths))


def test_lines_are_items(tmp_path):
    a, b = read(write(tmp_path / "a.txt", 57.1, 0.0), write(tmp_path / "b.txt", 31.9, 100.0))
    assert (a.cells.item, list(a.cells.raw)) == (["1", "2"], [57.1, 0])
    assert list(b.cells.raw) == [31.9, 100]
    assert a.version == "2.6.0"
    assert "nothing in the file says what they are of" in dict(a.notes)["items"]


def test_of_ter_less_is_better(tmp_path):
    (run,) = read(write(tmp_path / "a.txt", 10.0, metric="TER"))
    assert run.higher_is_better == {"TER": False}


def test_several_metrics_stand_below_one_another(tmp_path):
    path = tmp_path / "a.txt"
    chrf = "chrF2|nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:2.6.0"
    path.write_text("".join(f"BLEU|{SIGNED} = {k}0.0\n{chrf} = {k}1.5\n" for k in (1, 2)))
    (run,) = read(path)
    assert run.cells.item == ["1", "2"]
    assert list(zip(run.cells.score_sample, run.cells.metric, run.cells.raw, strict=True)) == [
        (0, "BLEU", 10),
        (0, "chrF2", 11.5),
        (1, "BLEU", 20),
        (1, "chrF2", 21.5),
    ]


def test_other_signatures_are_refused(tmp_path):
    a = write(tmp_path / "a.txt", 57.1)
    b = write(tmp_path / "b.txt", 57.1, signed=SIGNED.replace("13a", "intl"))
    what = r"^b\.txt, value .*: the signature of BLEU is not that of a"
    for source in ([a, b], {"old": a, "new": b}, tmp_path):
        with pytest.raises(ValueError, match=what):
            read_logs(source)
    a.write_text(a.read_text() + b.read_text())
    with pytest.raises(ValueError, match=r"^a\.txt, row 2, value .*: the signature of BLEU is not"):
        read(a)


@pytest.mark.parametrize(
    ("more", "what"),
    [
        ("BLEU|nrefs:1\n", r"row 2, value .*: is no line of sacrebleu -sl; is the file cut\?"),
        (f"BLEU|{SIGNED} = high\n", "row 2, column 'BLEU', value 'high': is no score"),
        (f"BLEU|{SIGNED} = inf\n", "row 2, column 'BLEU', value 'inf': is no finite"),
    ],
)
def test_bad_lines_are_named(tmp_path, more, what):
    path = write(tmp_path / "a.txt", 57.1)
    path.write_text(path.read_text() + more)
    with pytest.raises(ValueError, match=rf"^a\.txt, {what}"):
        read(path)


@pytest.mark.parametrize("text", ["BLEU = 39.0\n", "the cat sat\n", "BLEU|x\n", "map q1 0.5\n"])
def test_other_texts_are_not_its(tmp_path, text):
    path = tmp_path / "a.txt"
    path.write_text(text)
    assert not of_sacrebleu.recognises(log_files(path)[0].preview)


def test_what_is_expected_of_the_sample():
    path = folder("sacrebleu/sentence_level_2.6.0")
    found = read(path / "a.sl.txt", path / "b.sl.txt")
    assert rows(found, lambda run: run.files[0].split(".")[0]) == expected(path)
    assert not of_sacrebleu.recognises(log_files(path / "ref")[0].preview)
