"""Pages of the documentation run in forks: what they show, and what stops a build."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import betterthan

EXTENSIONS = Path(__file__).parents[2] / "docs" / "_ext"

RUN = r"""
import json, sys, tempfile
sys.path.insert(0, sys.argv[1])
import forked_pages
from nbformat import v4
from sphinx.errors import ExtensionError

def run(*sources, seconds=60):
    page = v4.new_notebook(cells=[v4.new_code_cell(source) for source in sources])
    try:
        with tempfile.TemporaryDirectory() as folder:
            result = forked_pages.run(page, folder, seconds)
    except ExtensionError as error:
        return {"stopped": str(error)}
    return {"cells": [cell.outputs for cell in page.cells], "error": repr(result.err)}

COMMANDS = '''%%bash
printf 'item,A,B\n1,1,0\n2,0,1\n' > scores.csv
betterthan compare scores.csv | head -2
betterthan compare - < scores.csv 2>&1 > /dev/null
betterthan compare none.csv 2> mistake || echo "code $?" && cat mistake
PAGE=1 betterthan --version && test -z "$PAGE"
type -p betterthan >&2'''

print(json.dumps([
    run("x = 1\nprint(x)\nx", "x;", "%%bash\necho out; echo err >&2",
        "import matplotlib.pyplot as plt\nplt.plot([1, 2]);",
        "import logging, sys\nprint('a', file=sys.stderr)\nprint('b', end='')"),
    run("x", "print('not run')"),
    run("%%bash\nexit 3"),
    run("import time\ntime.sleep(20)", seconds=1),
    run("import os\nos._exit(7)"),
    run(COMMANDS),
    run("import forked_commands\nforked_commands.threads = lambda: 2", COMMANDS),
]))
"""


@pytest.fixture(scope="module")
def pages():
    pytest.importorskip("myst_nb")
    command = [sys.executable, "-c", RUN, str(EXTENSIONS)]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    one = os.environ | {"OPENBLAS_NUM_THREADS": "1", "PATH": path}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=one)
    return json.loads(done.stdout.splitlines()[-1])


def test_each_kind_of_output_is_shown(pages):
    value, silent, shell, figure, streams = pages[0]["cells"]
    assert [o["output_type"] for o in value] == ["stream", "execute_result"]
    assert value[0]["text"] == "1\n"
    assert value[1]["data"]["text/plain"] == "1"
    assert silent == []
    assert shell[0]["text"] == "out\nerr\n"
    assert figure[0]["data"]["image/png"].startswith("iVBOR")  # a PNG, in base 64
    assert [(o["name"], o["text"]) for o in streams] == [("stderr", "a\n"), ("stdout", "b")]
    assert pages[0]["error"] == "None"


def test_an_error_ends_a_page_and_no_name_is_left_from_another(pages):
    error, later = pages[1]["cells"]
    assert (error[0]["ename"], error[0]["evalue"]) == ("NameError", "name 'x' is not defined")
    assert later == []
    assert "CellExecutionError" in pages[1]["error"]


def test_a_shell_command_that_fails_is_an_error(pages):
    assert pages[2]["cells"][0][0]["evalue"] == "exit code 3"


def test_a_page_that_takes_too_long_or_dies_stops_the_build(pages):
    assert pages[3]["stopped"] == "a page ended after 1 s, without outputs"
    assert pages[4]["stopped"] == "a page ended with exit code 7, without outputs"


def test_commands_run_in_forks_of_the_page_and_answer_as_in_processes_of_their_own(pages):
    forked, own = (page["cells"][-1][0]["text"].splitlines() for page in pages[5:])
    assert forked[:-1] == own[:-1]
    assert forked[-1] != own[-1]  # what the shell starts
    assert any(line == "code 2" for line in own), own
    assert any("no such file: none.csv" in line for line in own), own
    assert f"betterthan {betterthan.__version__}" in own
