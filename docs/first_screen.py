"""The README's first screen: makes results.csv, runs the code, prints the answer, draws the
picture.

``python docs/first_screen.py`` prints what README shows and writes docs/_static/first-screen.png.
"""

import contextlib
import io
import os
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

HERE = Path(__file__).parent
SKILL = {"base": 0.6, "new prompt": 0.8, "fine-tuned": 1.7}
CODE = """\
import betterthan as bt

c = bt.compare("results.csv", baseline="base")  # one row an item, one column a system
print(c)
c.report(path="report.html")
"""


def results(items: int = 120) -> pd.DataFrame:
    """Made-up results of three systems on the same items, some of which are harder."""
    random = np.random.default_rng(4)
    easy = 1.2 * random.normal(size=items)
    solved = {s: random.random(items) < 1 / (1 + np.exp(-(a + easy))) for s, a in SKILL.items()}
    named = {"item": [f"q{k + 1}" for k in range(items)]}
    return pd.DataFrame(named | {s: right.astype(int) for s, right in solved.items()})


def answer() -> str:
    """What the code prints."""
    here = os.getcwd()
    printed = io.StringIO()
    with tempfile.TemporaryDirectory() as folder:
        results().to_csv(Path(folder, "results.csv"), index=False)
        try:
            os.chdir(folder)
            with contextlib.redirect_stdout(printed):
                exec(CODE, {})
        finally:
            os.chdir(here)
    return printed.getvalue()


def picture(path: Path) -> None:
    """Differences of the systems, as in the report."""
    import betterthan as bt

    axes = bt.plot.differences(bt.compare(results(), baseline="base"))
    axes.figure.savefig(path, dpi=120, bbox_inches="tight", metadata={"Software": None})


if __name__ == "__main__":
    print(answer())
    picture(HERE / "_static" / "first-screen.png")
