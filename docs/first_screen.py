"""The README's first screen: makes results.csv, runs the code, prints the answer, draws the
pictures.

``python docs/first_screen.py`` prints what README shows and writes docs/_static/first-screen.png
and docs/_static/page.png, the top of the report as Chromium or Chrome shows it. The docs build
needs no browser; a test says when the answer on the picture is no more that of today.
"""

import contextlib
import io
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

HERE = Path(__file__).parent
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
WIDTH, HEIGHT = 1100, 1090
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


def page(path: Path) -> None:
    """The top of the report, as a browser shows it; with the answer it holds as its text."""
    from PIL import Image, PngImagePlugin

    import betterthan as bt

    browser = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    if browser is None:
        raise SystemExit(f"no browser was found, of {', '.join(BROWSERS)}: {path} is as it was")
    found = bt.compare(results(), baseline="base")
    with tempfile.TemporaryDirectory() as folder:
        written, shot = Path(folder, "report.html"), Path(folder, "shot.png")
        bt.report(found, title="Three systems on 120 questions", path=written)
        how = ["--headless", "--no-sandbox", "--hide-scrollbars", f"--window-size={WIDTH},{HEIGHT}"]
        taken = [browser, *how, f"--screenshot={shot}", written.as_uri()]
        subprocess.run(taken, check=True, capture_output=True)
        told = PngImagePlugin.PngInfo()
        told.add_itxt("Answer", "\n".join(found.statement()))
        small = Image.open(shot).convert("RGB").quantize(64)
        small.save(path, pnginfo=told, optimize=True)


if __name__ == "__main__":
    print(answer())
    picture(HERE / "_static" / "first-screen.png")
    page(HERE / "_static" / "page.png")
