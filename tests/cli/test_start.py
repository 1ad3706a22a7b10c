"""Files alone are compared without the parser of options: to the same answer, and as errors end."""

import gc
import subprocess
import sys
from importlib import import_module

import pytest

from betterthan.cli import start


@pytest.fixture
def results(tmp_path):
    rows = ["item,A,B,C", *(f"q{k},1,{k % 3 > 0:d},{k % 2}" for k in range(40)), "q40,1,,0"]
    path = tmp_path / "results.csv"
    path.write_text("\n".join(rows) + "\n")
    return path


@pytest.fixture(autouse=True)
def unfrozen():
    """What this process holds is looked through again."""
    yield
    gc.unfreeze()


def ended(monkeypatch, capsys, *given):
    monkeypatch.setattr(sys, "argv", ["betterthan", *map(str, given)])
    import_module("dask")  # so that no command leaves it out of this process
    with pytest.raises(SystemExit) as stop:
        start.run()
    return stop.value.code, *capsys.readouterr()


def test_the_same_as_with_the_parser(results, monkeypatch, capsys):
    alone = ended(monkeypatch, capsys, "compare", results)
    parsed = ended(monkeypatch, capsys, "compare", results, "--threshold", "0.95")
    assert alone == parsed
    assert alone[0] == 0
    assert "verdict at 0.95" in alone[1]


@pytest.mark.parametrize(
    ("margin", "code"), [("0.05", 3), ("20%", 0), ("none", 2), ("-0.1", 2), ("nan", 2)]
)
def test_a_gate_with_its_margin_is_the_same_as_with_the_parser(
    tmp_path, monkeypatch, capsys, margin, code
):
    files = [tmp_path / "old.csv", tmp_path / "new.csv"]
    for shift, file in enumerate(files):
        rows = ["item,score", *(f"q{k},{(k + shift) % 9 > 2:d}" for k in range(90 + shift))]
        file.write_text("\n".join(rows))
    alone = ended(monkeypatch, capsys, "gate", *files, "--margin", margin)
    parsed = ended(monkeypatch, capsys, "gate", *files, "--margin", margin, "--threshold", "0.95")
    assert alone == parsed
    assert alone[0] == code


@pytest.mark.parametrize("given", ["no-such-file.csv", "A=one.csv"])
def test_bad_input_ends_the_same(given, monkeypatch, capsys):
    alone = ended(monkeypatch, capsys, "compare", given)
    parsed = ended(monkeypatch, capsys, "compare", given, "--threshold", "0.95")
    assert alone == parsed
    assert alone[0] == 2
    assert alone[2].startswith("error: ")


def test_nothing_given_is_for_the_parser(monkeypatch, capsys):
    code, _, told = ended(monkeypatch, capsys, "compare")
    assert code == 2
    assert "FILE" in told


def test_garbage_is_collected_again(results, monkeypatch, capsys):
    ended(monkeypatch, capsys, "compare", results)
    assert gc.isenabled()


def test_no_parser_is_loaded_for_files_alone(results):
    script = (
        f"import sys; sys.argv = ['betterthan', 'compare', {str(results)!r}]\n"
        "from betterthan.cli.start import run\ntry:\n    run()\nexcept SystemExit:\n"
        "    print(*(name for name in sys.modules if sys.modules[name]))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    loaded = set(done.stdout.splitlines()[-1].split())
    assert "betterthan.comparison.compare" in loaded
    assert not loaded & {"typer", "pydantic", "rich.console", "matplotlib", "pymc", "dask.array"}
    assert not loaded & {"pyarrow", "numpy.f2py", "betterthan.results.reports"}
    # nor what reads logs of other kinds, draws figures, audits, or corrects judges
    prefixes = (
        "logs.of_inspect",
        "plot.",
        "auditing.audit",
        "posterior.of_judged",
        "counts.in_blocks",
        "exact.blocks",
    )
    assert not {
        name for name in loaded if name.startswith(tuple(f"betterthan.{p}" for p in prefixes))
    }


@pytest.mark.parametrize(
    ("arguments", "left_out"),
    [
        (("compare", "results.csv"), ("dask", "pyarrow")),
        (("gate", "old.csv", "new.csv", "--margin", "0.05"), ("dask", "pyarrow")),
        (("compare", "table.PARQUET"), ("dask",)),
        (("compare", "table.parquet.gz"), ("dask",)),
        (("compare", "tables/*"), ("dask",)),
        (("compare", "table.parquet", "--scheduler", "threads"), ()),
        (("compare", "table.parquet", "--scheduler=threads"), ()),
        (("compare", "."), ()),  # may be a Zarr store
        (("compare", "A=."), ()),
        (("compare", "results.csv", "--method", "mcmc"), ("dask",)),
        (("compare", "results.csv", "--method=both"), ("dask",)),
        (("compare", "results.csv", "--method", "exact"), ("dask", "pyarrow")),
        (("plan", "results.csv"), ()),
    ],
)
def test_what_a_comparison_in_memory_does_not_need_is_left_out(arguments, left_out):
    assert start._left_out(list(arguments)) == left_out


def test_a_folder_may_hold_an_equals_sign(tmp_path, monkeypatch):
    (tmp_path / "date=1").mkdir()
    monkeypatch.chdir(tmp_path)
    assert start._left_out(["compare", "date=1"]) == ()


@pytest.mark.sampled
def test_a_process_samples_what_the_exact_answer_is_of(results):
    words = [sys.executable, "-m", "betterthan", "compare", str(results), "--method", "both"]
    done = subprocess.run(words, capture_output=True, text=True)
    assert (done.returncode, "this needs" in done.stderr) == (0, False)
    assert "method=both" in done.stdout
