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
        "from betterthan.cli.start import run\n"
        "try:\n    run()\nexcept SystemExit:\n    print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    loaded = set(done.stdout.splitlines()[-1].split())
    assert "betterthan.comparison.compare" in loaded
    assert not loaded & {"typer", "pydantic", "rich.console", "matplotlib", "pymc", "dask.array"}
    # nor what reads logs of other kinds, draws figures, audits, or corrects judges
    prefixes = (
        "logs.of_inspect",
        "plot.",
        "auditing.roster",
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
        (("compare", "results.csv"), True),
        (("gate", "old.csv", "new.csv", "--margin", "0.05"), True),
        (("compare", "table.parquet", "--scheduler", "threads"), False),
        (("compare", "table.parquet", "--scheduler=threads"), False),
        (("compare", "."), False),  # may be a Zarr store
        (("compare", "A=."), False),
        (("plan", "results.csv"), False),
    ],
)
def test_dask_is_left_out_where_files_are_compared_in_memory(arguments, left_out):
    assert start._needs_no_blocks(list(arguments)) == left_out
