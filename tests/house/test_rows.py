"""What a model, a test, a tie policy is stands in one row of a written tuple."""

import ast
import re
from importlib import import_module
from pathlib import Path

import pytest

import betterthan as bt
from betterthan import names
from betterthan.counts.ties import POLICIES
from betterthan.fits.comparing import READABLE
from betterthan.model_registry import ROSTER, Spec
from betterthan.results.kinds import PAIR_MODELS
from betterthan.significance.roster import TESTS

SOURCE = Path(bt.__file__).parent
# they have no fit
WITHOUT_A_FILE = {"bayesian_bootstrap", "student_t", "among_all", "davidson_by_cluster"}


def models():
    """Files of the room that build and fit."""
    for path in (SOURCE / "models").glob("*.py"):
        tree = ast.parse(path.read_text("utf-8"))
        if {"build", "fit"} <= {n.name for n in tree.body if isinstance(n, ast.FunctionDef)}:
            yield path.stem


def test_every_model_is_one_row():
    rows = [spec.name for spec in ROSTER]
    assert len(rows) == len(set(rows))
    assert set(rows) - WITHOUT_A_FILE == set(models())


def literals(path):
    """Text constants of a file that are no docstrings, and no keys of attrs."""
    tree = ast.parse(path.read_text("utf-8"))
    docs = {id(n.value) for n in ast.walk(tree) if isinstance(n, ast.Expr)}
    nodes = (n for n in ast.walk(tree) if isinstance(n, ast.Constant) and id(n) not in docs)
    return {n.value for n in nodes if isinstance(n.value, str)}


RESULTS = ("comparison", "tables", "saved", "numbers")
COMPARING = [
    *(path for path in (SOURCE / "comparison").glob("*.py")),
    *(SOURCE / "results" / f"{name}.py" for name in RESULTS),
]


@pytest.mark.parametrize("path", COMPARING, ids=lambda path: path.stem)
def test_comparing_asks_no_model_by_its_name(path):
    # advice names the model it chooses: that is its answer; a fit of counts is one of two models;
    # "judge" is also the answer of the judge alone, which stands beside that of the labels
    asked = {spec.name for spec in ROSTER} - {"judge"}
    if path.stem not in ("advice", "advised"):
        assert not literals(path) & asked


def test_fits_that_a_report_takes_are_those_that_compare():
    assert set(PAIR_MODELS) == set(READABLE)


def test_figures_of_pages_are_functions_of_plot():
    names_ = set()
    for path in (SOURCE / "results").glob("*.py"):
        names_ |= set(re.findall(r'plotted\(\s*"([\w.]+)"', path.read_text("utf-8")))
    assert len(names_) >= 6  # first screens and matrices are marks of the page; these are not
    for name in names_:
        module, _, function = f"betterthan.plot.{name}".rpartition(".")
        assert callable(getattr(import_module(module), function)), name


def test_rows_of_tests_and_policies_are_what_can_be_asked():
    assert tuple(spec.name for spec in TESTS) == names.TESTS
    assert (*(policy.name for policy in POLICIES), "all") == names.TIES


def test_a_new_model_is_one_row(monkeypatch):
    """A model that only has a row is advised, printed and refused as its row says."""
    made_up = Spec("made_up", takes=("dataset",), own_prior=True, rope_unit="score")
    found = bt.advise(bt.datasets.contingency_case("a")).loaded
    assert made_up.call(found) == "betterthan.fits.compare(betterthan.models.made_up.fit(data))"
    from betterthan.comparison.engines import refuse_unknown
    from betterthan.comparison.options import Options
    from betterthan.posterior.table import Question

    def options(**choices):
        plain = {"method": "advised", "ties": "third", "missing": "pairwise", "margin": 0.0}
        plain |= {"prior": None, "systems": None, "baseline": None, **vars(Question())}
        plain |= {"quantity": None, "unit": None, "weight": "item"}
        return Options.validate(**plain | choices, tests=None, sampling=None, rng=1)

    refuse_unknown(made_up, options())
    for choice, why in (
        ({"rope": 0.1}, "measures in units of the score"),
        ({"margin": 0.1}, "is for counting wins"),
        ({"prior": "jeffreys"}, "says nothing of the advised made_up"),
    ):
        with pytest.raises(ValueError, match=why):
            refuse_unknown(made_up, options(**choice))
