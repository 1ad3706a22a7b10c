"""A model describes itself, and its card starts with code that runs, its graph and its source."""

import ast
import contextlib
import io
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pymc as pm
import pytest
import xarray as xr
from pytensor.compile.mode import Mode

import betterthan as bt
from betterthan import names
from betterthan.models import sampling
from betterthan.models.describing import SECTIONS
from betterthan.names import IS_SYSTEM
from validation import graphs

CARDS = Path(__file__).parents[2] / "models"
NAMES = sorted(p.parent.name for p in CARDS.glob("*/card.md"))


def card(name):
    return (CARDS / name / "card.md").read_text("utf-8")


@cache
def built(name):
    return graphs.built(CARDS / name / "card.md")


def spaced(text):
    """Without line breaks, which differ between a file and a card."""
    return " ".join(text.split())


def prior_draws(model=None, chains=4, **_):
    """Independent draws of the prior in the place of a sampler's: of the shape that code needs."""
    model, each, index = pm.modelcontext(model), 50, ("chain", "draw")
    variables = [v.name for v in (*model.free_RVs, *model.deterministics)]
    fast = {"mode": Mode(linker="py", optimizer=None)}
    tree = pm.sample_prior_predictive(
        chains * each, model=model, var_names=variables, random_seed=1, compile_kwargs=fast
    )
    prior = tree["prior"].to_dataset().isel(chain=0, drop=True)
    parts = [
        prior.isel(draw=slice(c * each, (c + 1) * each)).drop_vars("draw") for c in range(chains)
    ]
    draws = xr.concat(parts, "chain", join="override").assign_coords(
        chain=range(chains), draw=range(each)
    )
    energy = np.random.default_rng(1).normal(size=(chains, each))
    stats = {"diverging": (index, np.zeros_like(energy, bool)), "energy": (index, energy)}
    groups = {"posterior": draws, "sample_stats": xr.Dataset(stats)}
    return xr.DataTree.from_dict(sampling.data_groups(model) | groups)


@pytest.mark.parametrize("name", NAMES)
def test_the_code_of_a_card_runs(name, monkeypatch):
    monkeypatch.setattr(pm, "sample", prior_draws)
    monkeypatch.setattr(sampling, "sample", prior_draws)
    # 200 draws are a fifth of the work of 1,000, and whether they converge is no question here
    monkeypatch.setattr(names, "ESS_MIN", 50)
    monkeypatch.setattr(names, "RHAT_MAX", 1.2)
    monkeypatch.setattr(names, "DRAWS", 50)  # of the prior, which no card looks at
    code = graphs.CODE.search(card(name))[1]
    namespace, printed = {}, io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(code, namespace)
    assert isinstance(namespace["model"], pm.Model)
    assert str(bt.fits.diagnose(namespace["fit"])) in printed.getvalue()
    assert all(word in code for word in (".build(", "random_seed=", ".diagnose("))
    assert ".compare(" in code or ".predict(" in code or "P(slope > 0)" in code


@pytest.mark.parametrize("name", NAMES)
def test_a_card_shows_the_code_the_graph_and_the_source_first(name):
    head = card(name).partition("\n## ")[0]
    assert 9 <= len([line for line in graphs.CODE.search(head)[1].splitlines() if line]) <= 12
    assert head.index("**Question.**") < head.index("```python") < head.index("](graph.svg)")
    (source,) = re.findall(r"\]\((\.\./\.\./src/\S+)\)", head)
    assert (CARDS / name / source).resolve() == Path(getattr(bt.models, name).__file__)


@pytest.mark.parametrize("name", NAMES)
def test_the_graph_is_of_the_model(name):
    drawn = (CARDS / name / "graph.svg").read_text("utf-8")
    nodes = re.findall(r'class="node">\s*<title>(.*?)</title>', drawn)
    model = built(name)
    recorded = graphs.recorded(model)
    assert recorded <= {*IS_SYSTEM, "prior"}
    assert sorted(nodes) == sorted(set(model.named_vars) - recorded)


@pytest.mark.parametrize("name", NAMES)
def test_the_description_is_that_of_the_card_and_of_the_file(name):
    described = getattr(bt.models, name).describe()
    assert described.name == name
    text, told = spaced(card(name)), str(described)
    for title, field in SECTIONS.items():
        part = getattr(described, field)
        assert spaced(part) in text, f"models/{name}/card.md has another text of {title}"
        assert f"{title}\n{'-' * len(title)}\n{part}" in told
        assert part in described._repr_markdown_()
    assert f"```python\n{described.code}\n```" in described._repr_markdown_()


@pytest.mark.parametrize("name", NAMES)
def test_the_code_builds_the_model(name):
    described = getattr(bt.models, name).describe()
    functions = {n.name for n in ast.parse(described.code).body if isinstance(n, ast.FunctionDef)}
    assert "build" in functions
    assert not functions & {"fit", "simulate", "describe", "closed_form"}
    assert "pm.Model(" in described.code
    # the code alone, with the imports of its file, builds what the file builds
    source = Path(getattr(bt.models, name).__file__).read_text("utf-8")
    imports = [n for n in ast.parse(source).body if isinstance(n, ast.Import | ast.ImportFrom)]
    code = "\n".join(["from __future__ import annotations", *map(ast.unparse, imports)])
    rest = card(name)
    block = graphs.CODE.search(rest)[1]
    namespace = {}
    exec(f"{code}\n{described.code}", namespace)
    exec(block.partition("\nmodel = ")[0], namespace_of_card := {})
    call = re.search(r"^model = bt\.models\.\w+\.build\((.*?)\)  #", block, re.M)[1]
    own = eval(f"build({call})", namespace_of_card | {"build": namespace["build"]})
    model = built(name)
    assert set(own.named_vars) == set(model.named_vars)
    with sampling.without_compiler():
        fast = {"mode": Mode(linker="py", optimizer=None)}
        start = model.initial_point()
        one, two = (m.compile_logp(**fast)(start) for m in (own, model))
    assert one == two


def test_a_model_without_docstrings_says_so():
    code = "import betterthan as bt; bt.models.davidson.describe()"
    ran = subprocess.run(
        [sys.executable, "-OO", "-c", code], capture_output=True, text=True, check=False
    )
    assert ran.stderr.rstrip().endswith(
        "docstrings describe the models; start Python without -OO to read them"
    )
