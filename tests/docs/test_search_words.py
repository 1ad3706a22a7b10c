"""The search of the site ranks as in a reader's browser, and a page that is not found is named."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import sphinx

ROOT = Path(__file__).parents[2]
SEARCHTOOLS = Path(sphinx.__file__).parent / "themes/basic/static/searchtools.js"
INDEX = {
    "docnames": ["index", "plan", "api/power", "words"],
    "filenames": ["index.md", "plan.md", "api/power.rst", "words.md"],
    "titles": ["Start", "Sample size", "plan.power", "Words"],
    "alltitles": {
        "Start": [[0, None]],
        "Sample size": [[1, None]],
        "A size": [[1, "a-size"]],
        "plan.power": [[2, None]],
        "Words": [[3, None]],
    },
    "indexentries": {"sample size": [[3, "term-sample", True]], "power": [[2, "p", False]]},
    "objects": {"bt.plan": [[2, 0, 1, "", "power"], [2, 0, 1, "", "powerful_size"]]},
    "objnames": {"0": ["py", "function", "Python function"]},
    "objtypes": {"0": "py:function"},
    "terms": {"sampl": [0, 1, 3], "size": [1, 3], "power": [0, 2], "tie": 0, "overpow": 3},
    "titleterms": {"sampl": 1, "size": 1, "power": 2, "start": 0, "word": 3},
}
QUERIES = ("sample size", "size", "power", "powerful size", "ties", "overp", "the power", "nothing")
NODE = """
const fs = require("fs"), vm = require("vm");
const [, file, index, queries] = process.argv;
const context = {
  document: { getElementById: () => null }, window: {}, _ready: () => {}, _: (x) => x,
  SPHINX_HIGHLIGHT_ENABLED: false, stopwords: new Set(["the"]),
  Stemmer: class { stemWord(word) { return { sample: "sampl", ties: "tie" }[word] || word; } },
};
vm.createContext(context);
const code = fs.readFileSync(file, "utf8") + "\\nthis.Search = Search;";
vm.runInContext(code, context);
context.Search._index = JSON.parse(index);
const pages = JSON.parse(queries).map((query) => {
  const results = context.Search._performSearch(...context.Search._parseQuery(query));
  return results.reverse().map((result) => [result[0], result[1], result[4]]);
});
console.log(JSON.stringify(pages));
"""


@pytest.fixture(scope="module")
def search_words():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "docs" / "_ext")
        import search_words

        yield search_words
    del sys.modules["search_words"]


@pytest.mark.parametrize(
    ("query", "pages"),
    [
        ("sample size", ["words", "plan"]),  # a main entry of the index, then a title
        ("power", ["api/power", "index"]),  # a name, then a word of the text
        ("ties", ["index"]),
        ("overp", ["words"]),  # a part of a word
        ("nothing", []),
    ],
)
def test_pages_are_in_the_order_of_the_site(search_words, query, pages):
    ranked = search_words.ranked(INDEX, query)
    assert list(dict.fromkeys(page for page, _ in ranked)) == pages


@pytest.mark.skipif(shutil.which("node") is None, reason="needs Node")
def test_the_order_is_that_of_the_code_of_sphinx(search_words):
    command = ["node", "-e", NODE, str(SEARCHTOOLS), json.dumps(INDEX), json.dumps(QUERIES)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    for query, results in zip(QUERIES, json.loads(done.stdout), strict=True):
        expected = list(dict.fromkeys((page, title) for page, title, _ in results))
        ours = search_words.ranked(INDEX, query)
        assert [pair for pair in expected if pair in ours] == ours, query
        assert {page for page, _ in expected[:3]} >= {page for page, _ in ours[:3]}, query


def test_a_word_that_leads_elsewhere_is_named(search_words, monkeypatch):
    words = {"sample size": ("plan",), "ties": ("plan",), "nothing": ("plan",)}
    monkeypatch.setattr(search_words, "WORDS", words)
    assert search_words.misleading(INDEX) == [
        "'ties' leads to 'Start' (index), not to plan",
        "'nothing' leads to no page, not to plan",
    ]
