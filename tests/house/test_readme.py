"""What README shows must run and say what it claims."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import betterthan as bt

README = Path(__file__).parents[2] / "README.md"


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", README.read_text(encoding="utf-8"), re.S)


def block(part):
    """The only block of Python that holds a text."""
    (found,) = (code for code in blocks("python") if part in code)
    return found


@pytest.mark.sampled
def test_the_model_answers_as_its_closed_form_does():
    code = block("pm.sample")
    # right after the printed answer
    assert code in "".join(README.read_text(encoding="utf-8").splitlines(True)[:70])
    given = {}
    exec(code, given)
    pair = {"system_a": "A", "system_b": "B"}
    sampled = bt.prob_better(given["bt"].fits.adopt(given["idata"])).sel(pair)
    exact = bt.prob_better(given["counts"]).sel(pair).item()
    assert f"closed form: {exact:.4f}" in code
    assert abs(sampled.item() - exact) < 4 * sampled["mcse"].item()


def test_the_first_screen_is_what_the_code_prints(monkeypatch):
    """The code, the answer below it, and that of the script that draws the picture are one."""
    monkeypatch.syspath_prepend(README.parent / "docs")
    import first_screen

    assert block("c = bt.compare") == first_screen.CODE
    assert blocks("text")[0].strip() == first_screen.answer().strip()
    assert (README.parent / "docs" / "_static" / "first-screen.png").is_file()


def calls():
    """The calls of Python in the table of questions."""
    table = README.read_text(encoding="utf-8").partition("| question | call |")[2]
    rows = table.partition("\n\n")[0].splitlines()[2:]
    cells = [row.split("|")[2] for row in rows]
    return [call for cell in cells for call in re.findall(r"`(bt\.[^`]+)`", cell)]


@pytest.fixture(scope="module")
def examples(tmp_path_factory):
    """What the calls of the table name: files in a folder, and data."""
    folder = tmp_path_factory.mktemp("readme")
    random = np.random.default_rng(3)
    items = [f"q{k}" for k in range(60)]
    systems = pd.DataFrame(random.random((60, 3)) < [0.5, 0.6, 0.8], columns=["old", "new", "best"])
    frame = systems.astype(int).assign(item=items)
    frame.to_csv(folder / "results.csv", index=False)
    outcomes = np.array(["system_a", "tie", "system_b"])[random.integers(0, 3, (60, 2))]
    judged = pd.DataFrame(outcomes, columns=["judge", "human"]).assign(
        item=items, system_a="old", system_b="new"
    )
    judged.loc[20:, "human"] = None
    judged.to_csv(folder / "judged.csv", index=False)
    orders = [
        (f"d{d}", who, " > ".join(random.permutation(list("abcdef")).tolist()))
        for d in range(6)
        for who in ("gold", "A", "B")
    ]
    pd.DataFrame(orders, columns=["document", "system", "order"]).to_csv(
        folder / "orders.csv", index=False
    )
    rows = [
        {"system": s, "doc": f"d{k}", "tp": 5 + (s == "A"), "fp": k % 2, "fn": k % 3 + (s == "B")}
        for s in "AB"
        for k in range(8)
    ]
    gold, predicted = (random.integers(0, 3, 40).astype(str) for _ in range(2))
    features = pd.DataFrame(random.normal(size=(20, 2)), columns=["speed", "accuracy"])
    scores = bt.read(folder / "results.csv")
    datasets = np.where(np.arange(60) < 20, "small", "large")
    return folder, {
        "bt": bt,
        "a": frame["old"].tolist(),
        "b": frame["new"].tolist(),
        "scores": scores.assign_coords(dataset=("item", datasets)),
        "tallies": bt.read(pd.DataFrame(rows)),
        "matrix": bt.labels.confusion_matrix(gold, predicted),
        "features": features,
        "response": features["accuracy"] + random.normal(size=20),
    }


@pytest.mark.parametrize("call", calls())
def test_a_call_of_the_table_answers(call, examples, monkeypatch):
    folder, names = examples
    monkeypatch.chdir(folder)
    assert eval(call, dict(names)) is not None


def test_it_is_read_in_one_go():
    lines = README.read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 120
    assert len(calls()) >= 15


def test_the_two_commands_exist():
    makefile = (README.parent / "Makefile").read_text(encoding="utf-8")
    for target in ("demo", "test"):
        assert f"make {target}" in README.read_text(encoding="utf-8")
        assert re.search(rf"^{target}:", makefile, re.M)


def test_the_citation_is_of_this_version():
    """CITATION.cff, its preferred entry, and the BibTeX entry of the docs."""
    root = README.parent
    cff = (root / "CITATION.cff").read_text(encoding="utf-8")
    bibtex = (root / "docs" / "reference" / "references.md").read_text(encoding="utf-8")
    versions = re.findall(r"^ *version: (\S+)$", cff, re.M)
    versions += re.findall(r"^ *version *= \{(.*?)\}", bibtex, re.M)
    assert versions == [bt.__version__] * 3
    titles = re.findall(r'^ *title: "(.*)"$', cff, re.M)
    titles += re.findall(r"^ *title *= \{(.*?)\}", bibtex, re.M)
    assert len(titles) == 3
    assert len(set(titles)) == 1
    assert "provenance line" in cff
