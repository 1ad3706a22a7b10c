"""The words that people type into the search of the site lead to the right page.

Sphinx scores titles, index entries, names of the API and words of the text in the reader's browser
(``searchtools.js``); `ranked` does the same here. A build fails when a page that answers one of
`WORDS` is not among the first three titles.
"""

import json
import re
from collections import defaultdict
from pathlib import Path

import snowballstemmer
from sphinx.errors import ExtensionError
from sphinx.search.en import SearchEnglish

WORDS = {
    "A/B test": ("guides/compare-two-models",),
    "Bradley-Terry": ("methods/pairwise-votes",),
    "LLM": ("guides/compare-two-models", "guides/llm-as-a-judge"),
    "LLM-as-a-judge": ("guides/llm-as-a-judge", "methods/judged"),
    "McNemar": ("methods/sign-test",),
    "Wilcoxon": ("methods/sign-test",),
    "clustered standard error": ("methods/clusters",),
    "clusters": ("methods/clusters",),
    "confidence interval": ("methods/bootstrap", "methods/error-rates", "methods/how-much"),
    "credible interval": ("methods/how-much",),
    "effect size": ("methods/how-much",),
    "leaderboard": ("methods/pairwise-votes", "methods/wins-means-units", "guides/figures"),
    "non-inferior": ("guides/gate",),
    "non-inferiority": ("guides/gate",),
    "optional stopping": ("methods/looking",),
    "partial pooling": ("methods/wins-means-units",),
    "repeated runs": ("methods/clusters",),
    "sample size": ("methods/planning",),
    "win rate": ("guides/compare-two-models", "methods/pairwise-votes", "methods/sign-test"),
}
TITLE, PART_OF_TITLE, TERM, PART_OF_TERM = 15, 7, 5, 2
OBJECT, PART_OF_OBJECT, PRIORITY = 11, 6, {0: 15, 1: 5, 2: -5}

_stem = snowballstemmer.stemmer("english").stemWord


def ranked(index: dict, query: str) -> list[tuple[str, str]]:
    """Pages and the titles that the search lists for them, the best first."""
    typed = query.lower().strip()
    results = [*_of_titles(index, typed), *_of_entries(index, typed)]
    objects = set(_split(typed))
    for term in objects:
        results += _of_objects(index, term, objects - {term})
    results += _of_terms(index, typed)
    results.sort(key=lambda r: (-r[2], r[1].lower()))
    return list(dict.fromkeys((page, title) for page, title, _ in results))


def _split(text: str) -> list[str]:
    return [part for part in re.split(r"\W+", text) if part]


def _of_titles(index, typed):
    for title, places in index["alltitles"].items():
        if typed in title.lower().strip() and len(typed) >= len(title) / 2:
            for page, _ in places:
                whole = index["titles"][page]
                score = int(TITLE * len(typed) / len(title) + 0.5) + (whole == title)
                shown = title if whole == title else f"{whole} > {title}"
                yield index["docnames"][page], shown, score


def _of_entries(index, typed):
    """Entries that are not the main ones come after all others: they are left out here."""
    for entry, places in index["indexentries"].items():
        if typed in entry and len(typed) >= len(entry) / 2:
            for page, _, main in places:
                if main:
                    score = int(100 * len(typed) / len(entry) + 0.5)
                    yield index["docnames"][page], index["titles"][page], score


def _of_objects(index, term, others):
    for prefix, names in index["objects"].items():
        for page, kind, priority, _, name in names:
            full, title = f"{prefix}.{name}" if prefix else name, index["titles"][page]
            last = full.lower().rpartition(".")[2]
            around = f"{prefix} {name} {index['objnames'][str(kind)][2]} {title}".lower()
            if term not in full.lower() or any(other not in around for other in others):
                continue
            exact = term in (full.lower(), last)
            score = OBJECT if exact else PART_OF_OBJECT if term in last else 0
            yield index["docnames"][page], full, score + PRIORITY.get(priority, 0)


def _of_terms(index, typed):
    words = [w for w in _split(typed) if w not in SearchEnglish.stopwords and not w.isdecimal()]
    words = list(dict.fromkeys(_stem(w) for w in words))
    scores: dict[int, dict[str, int]] = defaultdict(dict)
    for word in words:
        for key, whole, part in (
            ("terms", TERM, PART_OF_TERM),
            ("titleterms", TITLE, PART_OF_TITLE),
        ):
            if word in index[key]:
                matches = [(word, whole)]
            else:
                matches = [(t, part) for t in index[key] if len(word) > 2 and word in t]
            for match, score in matches:
                pages = index[key][match]
                for page in pages if isinstance(pages, list) else [pages]:
                    scores[page][word] = score
    wanted = {len(words), sum(len(w) > 2 for w in words)}
    for page, of_words in scores.items():
        if len(of_words) in wanted:
            yield index["docnames"][page], index["titles"][page], max(of_words.values())


def misleading(index: dict) -> list[str]:
    """A line for each of `WORDS` whose page is not among the first three titles."""
    lines = []
    for word, pages in WORDS.items():
        first = ranked(index, word)[:3]
        if not any(page in pages for page, _ in first):
            shown = ", ".join(f"{title!r} ({page})" for page, title in first) or "no page"
            lines.append(f"{word!r} leads to {shown}, not to {' or '.join(pages)}")
    return lines


def _note_whole(app, env, names) -> None:
    """Whether every page is read: Sphinx indexes the entries of no other pages."""
    app.search_is_whole = set(names) == env.found_docs


def _check(app, exception) -> None:
    written = Path(app.outdir) / "searchindex.js"
    whole = getattr(app, "search_is_whole", False) and app.config.include_patterns == ["**"]
    if exception or app.builder.name != "html" or not whole:
        return
    text = written.read_text(encoding="utf-8")
    if lines := misleading(json.loads(text[text.index("(") + 1 : text.rindex(")")])):
        raise ExtensionError("the search does not lead where it should:\n" + "\n".join(lines))


def setup(app):
    """Check after the search index is written."""
    app.connect("env-before-read-docs", _note_whole)
    app.connect("build-finished", _check, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
