"""What the closed form needs is what the package needs, without what samples."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
SAMPLING = {"pymc", "nutpie", "arviz"}


def test_light_list_is_the_dependencies_without_those_that_sample():
    needed = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["dependencies"]
    named = {re.match(r"[\w-]+", line).group(): line for line in needed}
    light = [
        line
        for line in (ROOT / "light.txt").read_text("utf-8").splitlines()
        if not line.startswith("#")
    ]
    assert set(named) > SAMPLING
    assert light == [line for name, line in named.items() if name not in SAMPLING]
