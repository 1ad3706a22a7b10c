"""What README shows must run and say what it claims."""

import re
from pathlib import Path

import numpy as np
import pandas as pd

import betterthan as bt

README = Path(__file__).parents[2] / "README.md"


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", README.read_text(encoding="utf-8"), re.S)


def test_first_block_runs_and_its_comments_are_true():
    first = blocks("python")[0]
    names = {}
    exec(first, names)
    for case, claimed in (("close", 0.9963), ("noisy", 0.6891)):
        assert f"# {claimed}" in first
        p = bt.prob_better(names[case]).sel(system_a="A", system_b="B").item()
        assert np.round(p, 4) == claimed
        assert bt.compare(names[case])["verdict"].sel(system_a="A", system_b="B").item() == (
            "a_better" if case == "close" else "undecided"
        )


def test_second_block_runs_on_a_file(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rows = ["item,A,B", *(f"q{k},{k % 2},{k % 3 > 0:d}" for k in range(30))]
    Path("results.csv").write_text("\n".join(rows))
    exec(blocks("python")[1], {"bt": bt})
    assert re.match("[AB] and [AB] compared", capsys.readouterr().out)


def test_the_two_commands_exist():
    makefile = (README.parent / "Makefile").read_text(encoding="utf-8")
    for target in ("demo", "test"):
        assert f"make {target}" in README.read_text(encoding="utf-8")
        assert re.search(rf"^{target}:", makefile, re.M)


def test_third_block_runs_on_tallies(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rows = [
        "system,doc,tp,fp,fn",
        *(f"{s},d{k},{5 + (s == 'A')},{k % 2},{k % 3}" for s in "AB" for k in range(8)),
    ]
    Path("tallies.csv").write_text("\n".join(rows))
    scores = bt.read(pd.DataFrame({"item": ["q1", "q2"], "A": [1, 1], "B": [0, 1]}))
    exec(blocks("python")[2], {"bt": bt, "scores": scores})
    assert "Similar systems" in capsys.readouterr().out
