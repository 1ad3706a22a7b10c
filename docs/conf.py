"""Sphinx: pages are executed; the outputs are kept until the package changes."""

import gc
import hashlib
import marshal
import os
import shutil
import sys
from importlib.metadata import version as installed
from pathlib import Path
from types import CodeType

from jinja2 import FileSystemLoader
from jinja2.sandbox import SandboxedEnvironment
from jupyter_cache import get_cache
from numpydoc import docscrape_sphinx
from sphinx.errors import ExtensionError
from sphinx.pycode.parser import Parser

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # pages run in forks of one thread
gc.set_threshold(100_000, 20, 100)  # pages are many small objects, and all of them stay

HERE = Path(__file__).parent
ROOT = HERE.parent
sys.path.insert(0, str(HERE / "_ext"))

import stored_fits  # noqa: E402


def _meaning(path: Path) -> bytes:
    """The code without comments, docstrings, and assertions; those of the command line are its
    help.
    """
    if path.suffix != ".py" or path.parent.name == "cli":
        return path.read_bytes()
    return marshal.dumps(_without_lines(compile(path.read_bytes(), "", "exec", optimize=2)), 2)


def _without_lines(code: CodeType) -> CodeType:
    """The same wherever it stands in its file."""
    parts = (_without_lines(k) if isinstance(k, CodeType) else k for k in code.co_consts)
    return code.replace(co_consts=tuple(parts), co_firstlineno=1, co_linetable=b"")


def _digest() -> str:
    """What the outputs of the pages depend on, besides the pages."""
    digest = hashlib.sha256()
    for path in sorted((ROOT / "src" / "betterthan").rglob("*")):
        if path.suffix in (".py", ".pyi", ".j2"):
            digest.update(path.relative_to(ROOT).as_posix().encode() + _meaning(path))
    helpers = (
        HERE / "first_screen.py",
        *(HERE / "_ext" / f"{k}.py" for k in ("calibrated", "forked_commands", "forked_pages")),
    )
    for path in (*helpers, *sorted((ROOT / "validation" / "results").glob("*.json"))):
        digest.update(path.read_bytes())
    for library in (
        "numpy",
        "scipy",
        "pandas",
        "xarray",
        "pymc",
        "nutpie",
        "arviz",
        "matplotlib",
        "typer",
        "rich",
    ):
        digest.update(f"{library} {installed(library)}".encode())
    return digest.hexdigest()[:16]


def _copy_notebooks() -> None:
    """Sphinx sees no files outside of its folder; a copy that is already there and equal stays
    untouched. A copy is in a folder of the docs, and so are its paths.
    """
    target = HERE / "notebooks"
    target.mkdir(exist_ok=True)
    notebooks = sorted((ROOT / "notebooks").glob("*.ipynb"))
    copies = {
        p.name: p.read_bytes()
        .replace(b"](../models/", b"](../../models/")
        .replace(b"](../docs/", b"](../")
        for p in notebooks
    }
    for old in target.iterdir():
        if old.name not in copies:
            old.unlink()
    for name, content in copies.items():
        copy = target / name
        if not copy.exists() or copy.read_bytes() != content:
            copy.write_bytes(content)


def _cache(digest: str) -> str:
    """A folder for outputs under this digest; those of other digests go."""
    folder = HERE / "_build" / "outputs"
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        if old.name != digest:
            shutil.rmtree(old)
    return str(folder / digest)


_copy_notebooks()
betterthan_digest = _digest()
outputs = _cache(betterthan_digest)
get_cache(outputs).list_cache_records()  # makes its database, which two readers would at once
fresh, extra = Path(outputs) / "fits", Path(outputs) / "extra"
for folder in (fresh, extra / "reports"):
    folder.mkdir(parents=True, exist_ok=True)

project = "betterthan"
author = "The betterthan founders"
version = release = installed("betterthan")
project_copyright = author

extensions = [
    *("myst_nb", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "numpydoc"),
    *("forked_pages", "math_svg", "plain_cells", "rosters", "search_words"),
]
exclude_patterns = ["_build"]
templates_path = ["_templates"]
default_role = "py:obj"
python_use_unqualified_type_names = True
autodoc_typehints = "none"
autosummary_generate = True
Parser.parse_definition = lambda _: None  # where each name is defined: nothing here asks for it
numpydoc_show_class_members = False
# numpydoc compiles its template for each docstring: an environment keeps what it has compiled
_templates = SandboxedEnvironment(
    loader=FileSystemLoader(Path(docscrape_sphinx.__file__).with_name("templates"))
)
docscrape_sphinx.SandboxedEnvironment = lambda loader: _templates
numpydoc_class_members_toctree = False

html_math_renderer = "svg"
myst_update_mathjax = False
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

# Cells run in an empty folder of their own, with the command line of this environment.
nb_execution_mode = "cache"
nb_execution_cache_path = outputs
nb_execution_timeout = 600
nb_execution_raise_on_error = True
nb_execution_in_temp = True
nb_merge_streams = True
os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
os.environ |= {"COLUMNS": "100", "NO_COLOR": "1"}
for name in ("FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE"):
    os.environ.pop(name, None)
os.environ |= {"BETTERTHAN_DOCS": str(HERE), stored_fits.FRESH: str(fresh)}
os.environ["BETTERTHAN_DOCS_REPORTS"] = str(extra / "reports")  # where reports.md writes

html_theme = "pydata_sphinx_theme"
html_title = f"betterthan {release}"
html_static_path = ["_static"]
html_extra_path = [str(extra)]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_show_copyright = False
html_sidebars = {page: [] for page in ("index", "questions")}  # pages without a section
html_theme_options = {
    "header_links_before_dropdown": 9,
    "navigation_with_keys": False,
    "show_prev_next": True,
    "navbar_align": "left",
    "footer_start": [],
    "footer_end": [],
}


def _refuse_stale_fits(app, exception):
    """Draws that pages read from docs/fits are those of the models as they are."""
    whole = app.config.include_patterns == ["**"] and app.config.nb_execution_mode == "cache"
    to_do = stored_fits.lacking(fresh, whole)
    if exception is None and to_do:
        raise ExtensionError("docs/fits is not what the pages read:\n" + "\n".join(to_do))


def setup(app):
    """Read every page again when the package has changed."""
    app.add_config_value("betterthan_digest", "", "env")
    app.connect("build-finished", _refuse_stale_fits)
