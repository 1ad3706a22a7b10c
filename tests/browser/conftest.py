"""A real browser: the Chromium or Chrome that is found. Where none is, these tests are skipped."""

import os
import shutil
from pathlib import Path

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
SHOTS = Path(__file__).parents[2] / "screenshots"


def chromium():
    """Where a browser stands, or None."""
    named = os.environ.get("BETTERTHAN_CHROMIUM")
    return named or next((path for name in NAMES if (path := shutil.which(name))), None)


@pytest.fixture(scope="session")
def browser():
    sync = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = chromium()
    if path is None:
        pytest.skip(
            f"no browser was found, of {', '.join(NAMES)}; or name one in BETTERTHAN_CHROMIUM"
        )
    with sync.sync_playwright() as play:
        # a container has no user to make a sandbox for
        started = play.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield started
        started.close()


class Opened:
    """A page, what it asked for and what went wrong on it."""

    def __init__(self, page):
        self.page, self.requests, self.errors = page, [], []
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", lambda said: self.errors.append(said.text))
        page.on("dialog", lambda dialog: self.errors.append(f"dialog: {dialog.message}"))

    def __getattr__(self, name):
        return getattr(self.page, name)

    def set(self, key, value):
        """Move a slider, or choose, as a reader does who has opened the controls."""
        self.page.evaluate("document.querySelector('#try details').open = true")
        if key in ("rope", "threshold"):
            number = self.page.locator(f"#bt-{key} ~ input[type=number]")
            number.fill(str(value))
            number.dispatch_event("change")
        else:
            self.page.select_option(f"#bt-{key}", value)

    def until(self, expression):
        """Wait until an expression is true; Playwright's own wait needs `eval`."""
        for _ in range(500):
            if self.page.evaluate(expression):
                return
            self.page.wait_for_timeout(20)
        raise AssertionError(f"never true: {expression}")

    def shot(self, name, full=False):
        """Kept, to be looked at."""
        SHOTS.mkdir(exist_ok=True)
        self.page.screenshot(path=str(SHOTS / f"{name}.png"), full_page=full)


@pytest.fixture
def open_page(browser, tmp_path):
    """Opens HTML as a file; closed, and free of errors, at the end."""
    contexts = []

    def opened(html, fragment="", ready=True, **choices):
        path = tmp_path / "page.html"
        path.write_text(html, encoding="utf-8")
        context = browser.new_context(**{"viewport": {"width": 1200, "height": 900}} | choices)
        context.set_default_timeout(10_000)
        contexts.append(context)
        found = Opened(context.new_page())
        found.page.goto(path.as_uri() + fragment)
        if ready:
            found.until("window.betterthan !== undefined")
        return found

    yield opened
    for context in contexts:
        context.close()
