"""A careful reading of a sheet by plain Python, slow and independent of the package: what it says,
or None where it says nothing, or two things.
"""

import json
import math
import re
import unicodedata

NAMES = {
    "item": "item item_id id example example_id instance_id question_id sample_id doc_id uid idx "
    "index i doc document",
    "system": "system model method classifier approach algorithm llm agent model_name model_id "
    "system_name system_id",
    "score": "score",
    "dataset": "dataset task",
    "cluster": "cluster",
    "epoch": "epoch",
    "judge": "judge",
    "gold": "gold label answer reference expected truth labels gold_standard true y_true ytrue "
    "y_test gt actual references",
    "winner": "winner",
    "wins": "wins wins_a",
    "losses": "losses wins_b",
    "ties": "ties",
    "class": "label type class",
    "tp": "tp",
    "fp": "fp",
    "fn": "fn",
}
PAIRS = [
    ("system_a", "system_b"),
    ("model_a", "model_b"),
    ("left", "right"),
    ("model_x", "model_y"),
    ("model_1", "model_2"),
    ("system_1", "system_2"),
    ("model1", "model2"),
    ("system1", "system2"),
]
TIES = {"tie", "draw", "both", "tie (bothbad)", "both bad", "both_bad", "bothbad"}
FIRST, SECOND = (
    {"a", "left", "first", "model_a", "system_a"},
    {"b", "right", "second", "model_b", "system_b"},
)
NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)
WHITE = {*"\t\n\v\f\r\x85"}  # of control characters
BLANK = {"", "na", "n/a", "nan", "null", "none"}


class UnreadableError(Exception):
    """A careful reader would ask."""


def need(condition, why):
    if not condition:
        raise UnreadableError(why)


def text(cell):
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return ""
    need(not isinstance(cell, list | dict), "a list in a cell")
    need(not isinstance(cell, float) or abs(cell) < 2**53, "a float that is no name")
    odd = {c for c in str(cell) if unicodedata.category(c) in ("Cc", "Cs")} - WHITE
    need(not odd, f"{odd} in a name")
    if isinstance(cell, float) and not math.isinf(cell) and cell == int(cell):
        return str(int(cell))
    return str(cell)


def number(cell):
    """A number, None where there is none."""
    if isinstance(cell, bool):
        return float(cell)
    if isinstance(cell, int | float):
        need(abs(cell) <= 1.7e308 or cell != cell, "infinite")
        return None if cell != cell else float(cell)
    word = text(cell).strip()
    if word.casefold() in BLANK:
        return None
    if word.casefold() in ("true", "false"):
        return float(word.casefold() == "true")
    need(NUMBER.fullmatch(word), f"{word!r} is no number")
    need(not math.isinf(float(word)), "infinite")
    need(float(word) or not re.match(r"[+-]?[0.]*[1-9]", word), "a number that vanishes")
    return float(word)


def numbers(cells):
    found = [number(cell) for cell in cells]
    words = any(
        isinstance(c, bool) or text(c).strip().casefold() in ("true", "false") for c in cells
    )
    need(not words or set(found) <= {0.0, 1.0, None}, "true beside other numbers")
    return found


def whole(cells, most=2**53):
    found = numbers(cells)
    for cell, value in zip(cells, found, strict=True):
        need(value is not None and value >= 0 and value == int(value), "no count")
        exact = int(text(cell)) if re.fullmatch(r"\s*\d+\s*", text(cell), re.ASCII) else value
        need(exact <= most, "too large")
    return [int(value) for value in found]


def spelling(name):
    name = unicodedata.normalize("NFKC", name)
    name = "".join(c for c in name if unicodedata.category(c) != "Cf")
    return " ".join(name.split()).casefold()


def apart(names, together):
    """Two spellings of one name must stand side by side somewhere."""
    distinct = sorted(set(names))
    for k, a in enumerate(distinct):
        for b in distinct[:k]:
            need(spelling(a) != spelling(b) or together(a, b), f"{a!r} or {b!r}")


class Columns:
    """The cells of a sheet by the names of their columns."""

    def __init__(self, header, rows):
        self.names = [text(name).strip() for name in header]
        need(len(set(self.names)) == len(self.names), "two columns of one name")
        need("" not in self.names[1:], "a column without a name")
        need(rows, "no rows")
        need(all(len(row) == len(header) for row in rows), "ragged")
        for row in rows:
            same = all(isinstance(cell, str) for cell in row)
            again = sorted(c.strip().casefold() for c in row) if same else []
            need(again != sorted(n.casefold() for n in self.names), "a second header")
        self.cells = {n: [row[k] for row in rows] for k, n in enumerate(self.names)}
        self.number = len(rows)

    def all_of(self, role):
        if role in ("first", "second"):
            known = {n.casefold(): n for n in reversed(self.names)}
            return [known[p[role == "second"]] for p in PAIRS if {*p} <= {*known}]
        known = {n.casefold(): n for n in reversed(self.names)}
        found = [known[a] for a in NAMES[role].split() if a in known]
        if role == "item" and not found:
            found = [n for n in ("", "Unnamed: 0") if n in self.names]
        return found

    def of(self, role):
        return next(iter(self.all_of(role)), None)

    def has(self, *roles):
        return all(self.of(role) is not None for role in roles)

    def texts(self, name, blank=False):
        found = [text(cell) for cell in self.cells[name]]
        need(blank or all(t.strip() for t in found), f"a blank in {name!r}")
        return found

    def systems(self, name):
        return [t.strip() for t in self.texts(name)]

    def is_numbers(self, name):
        try:
            return any(v is not None for v in map(number, self.cells[name]))
        except UnreadableError:
            return any(self.cells[name]) and all(
                isinstance(c, int | float) and not isinstance(c, bool) for c in self.cells[name]
            )


def layout_of(c):
    fits = [
        name
        for name, roles in (
            ("long", ("system", "item", "score")),
            ("votes", ("first", "second", "winner")),
            ("counts", ("first", "second", "wins", "losses")),
            ("tallies", ("system", "item", "tp", "fp", "fn")),
        )
        if c.has(*roles)
    ]
    need(len(fits) < 2, "two layouts")
    if fits:
        return fits[0]
    for role in ("system", "first"):
        need(not c.has(role) or c.is_numbers(c.of(role)), "half a layout")
    return "predictions" if c.has("gold") else "wide"


def beside(c, column, one_row_an_item):
    """Dataset, item and epoch of each row."""
    for role in ("dataset", "cluster", "epoch"):
        if c.of(role) is not None:
            c.texts(c.of(role))
    dataset, epoch = c.of("dataset"), c.of("epoch")
    ids = [str(k + 1) for k in range(c.number)] if column is None else c.texts(column)
    groups = c.texts(dataset) if dataset is not None else [None] * c.number
    runs = _epochs(c.texts(epoch)) if epoch is not None else [None] * c.number
    keys = list(zip(groups, ids, runs, strict=True))
    need(not one_row_an_item or len(set(keys)) == len(keys), "an item twice")
    return keys


def _epochs(every):
    plain = all(t.isascii() and t.isdigit() and len(t) < 10 for t in every)
    return [str(int(t)) for t in every] if plain else every


def _scores(c, keys, systems, value):
    """Scores by unit and system, with names that are apart refused."""
    need(len(systems) > 1, "one system")
    there = {k for k, v in value.items() if v is not None}
    seen = {(key[1], s) for key, s in there}
    ids = {key[1] for key in keys}
    apart(systems, lambda a, b: any((key, a) in there and (key, b) in there for key in keys))
    apart(ids, lambda a, b: any((a, s) in seen and (b, s) in seen for s in systems))
    return {"systems": sorted(systems), "scores": value}


def wide(c):
    items = c.all_of("item")
    need(len(items) < 2, "two columns of ids")
    keys = beside(c, items[0] if items else None, True)
    used = {*items, *(c.of(r) for r in ("dataset", "cluster", "epoch")), "", "Unnamed: 0"}
    systems = [n for n in c.names if n not in used]
    value = {}
    for s in systems:
        for key, v in zip(keys, numbers(c.cells[s]), strict=True):
            value[key, s] = v
    return _scores(c, keys, systems, value)


def predictions(c, fewest=2):
    items, gold = c.all_of("item"), c.all_of("gold")
    need(len(items) < 2 and len(gold) == 1, "two columns of ids or gold")
    keys = beside(c, items[0] if items else None, True)
    used = {*items, *gold, *(c.of(r) for r in ("dataset", "cluster", "epoch")), "", "Unnamed: 0"}
    systems = [n for n in c.names if n not in used]
    need(len(systems) >= fewest, "one system")
    right = c.texts(gold[0])
    written, every = {}, list(right)
    for s in systems:
        for key, cell in zip(keys, c.texts(s, blank=True), strict=True):
            written[key, s] = cell if cell.strip() else ""
            every.append(written[key, s])
    plain = {}
    for label in every:
        if NUMBER.fullmatch(label.strip()):
            need(
                plain.setdefault(float(label), label.strip()) == label.strip(), "one number, twice"
            )
    for s in systems:  # a system has some of the labels that gold, or half of another system, has
        known = set(right)
        for other in systems:
            cells = [written[key, other] for key in keys if written[key, other]]
            if cells and sum(cell in set(right) for cell in cells) >= len(cells) / 2:
                known |= set(cells)
        cells = [written[key, s] for key in keys if written[key, s]]
        need(sum(cell in known for cell in cells) >= 0.01 * len(cells) > 0, "no predictions")
    truth = dict(zip(keys, right, strict=True))
    value = {k: None if not w else float(w == truth[k[0]]) for k, w in written.items()}
    if fewest == 1:
        if len(systems) > 1:
            _scores(c, keys, systems, value)
        return {
            "labels": {(k[1], s): w for (k, s), w in written.items()},
            "gold": {k[1]: t for k, t in truth.items()},
        }
    return _scores(c, keys, systems, value)


def long(c):
    keys = beside(c, c.of("item"), False)
    cluster = c.of("cluster")
    if cluster is not None:
        of = {}
        for key, name in zip(keys, c.texts(cluster), strict=True):
            need(of.setdefault(key, name) == name, "two clusters")
    systems = c.systems(c.of("system"))
    value = {}
    for key, s, v in zip(keys, systems, numbers(c.cells[c.of("score")]), strict=True):
        need((key, s) not in value, "a score twice")
        value[key, s] = v
    every = {(key, s): value.get((key, s)) for key in keys for s in systems}
    return _scores(c, keys, sorted(set(systems)), every)


def tallies(c):
    keys = beside(c, c.of("item"), False)
    cluster = c.of("cluster")
    if cluster is not None:
        of = {}
        for key, name in zip(keys, c.texts(cluster), strict=True):
            need(of.setdefault(key, name) == name, "two clusters")
    systems = c.systems(c.of("system"))
    label = c.of("class")
    kinds = c.texts(label) if label is not None else [None] * c.number
    columns = [whole(c.cells[c.of(r)], 2**40) for r in ("tp", "fp", "fn")]
    value = {}
    for k, (key, s, kind) in enumerate(zip(keys, systems, kinds, strict=True)):
        need((key, s, kind) not in value, "tallies twice")
        value[key, s, kind] = tuple(column[k] for column in columns)
    given = {(key, s) for key, s, _ in value}
    need({(k, s) for k in keys for s in systems} == given, "a row missing")
    need(len(set(systems)) > 1, "one system")
    _scores(c, keys, sorted(set(systems)), dict.fromkeys(given, 1.0))
    every = {
        (k, s, x): value.get((k, s, x), (0, 0, 0)) for k in keys for s in systems for x in kinds
    }
    return {"systems": sorted(set(systems)), "tallies": every}


def _outcomes(c):
    first, second = c.of("first"), c.of("second")
    rows = []
    for a, b, won in zip(
        c.systems(first), c.systems(second), c.texts(c.of("winner"), True), strict=True
    ):
        need(a != b, "a system against itself")
        won, word = won.strip(), won.strip().casefold()
        said = {
            +1: word in FIRST or word == first.casefold(),
            -1: word in SECOND or word == second.casefold(),
        }
        said |= {0: word in TIES, None: not word}
        told = {outcome for outcome, yes in said.items() if yes}
        told |= {+1} if won == a else {-1} if won == b else set()
        need(len(told) == 1, f"winner {won!r}")
        rows.append((a, b, told.pop()))
    met = {frozenset((a, b)) for a, b, _ in rows}
    apart({s for pair in met for s in pair}, lambda a, b: frozenset((a, b)) in met)
    return rows


def votes(c):
    dataset = "dataset" if "dataset" in [n.casefold() for n in c.names] else None
    name = next((n for n in c.names if n.casefold() == "dataset"), None)
    groups = c.texts(name) if dataset else [None] * c.number
    found = {}
    for (a, b, won), group in zip(_outcomes(c), groups, strict=True):
        for s, o, sign in ((a, b, 1), (b, a, -1)):
            cell = found.setdefault((group, s, o), [0, 0, 0])
            if won is not None:
                cell[{1: 0, -1: 1, 0: 2}[won * sign]] += 1
    return {"counts": {k: tuple(v) for k, v in found.items() if any(v)}}


def judgments(c):
    judge, cluster = c.of("judge"), c.of("cluster")
    judges = c.texts(judge) if judge is not None else [None] * c.number
    if cluster is not None:
        c.texts(cluster)
    rows = zip(_outcomes(c), judges, strict=True)
    return {"judgments": [(a, b, won, who) for (a, b, won), who in rows if won is not None]}


def counts(c):
    first, second = c.systems(c.of("first")), c.systems(c.of("second"))
    roles = ["wins", "losses", *(["ties"] if c.has("ties") else [])]
    columns = [whole(c.cells[c.of(role)]) for role in roles]
    name = next((n for n in c.names if n.casefold() == "dataset"), None)
    groups = c.texts(name) if name is not None else [None] * c.number
    found, given = {}, set()
    for k, (a, b, group) in enumerate(zip(first, second, groups, strict=True)):
        values = tuple(column[k] for column in columns)
        need((group, a, b) not in given, "a pair twice")
        given.add((group, a, b))
        need(a != b or not any(values[:2]), "a system against itself")
        mirrored = (values[1], values[0], *values[2:])
        need(found.setdefault((group, b, a), mirrored) == mirrored, "contradiction")
        need(found.setdefault((group, a, b), values) == values, "contradiction")
    need(len({*first, *second}) > 1, "one system")
    met = {frozenset((a, b)) for a, b in zip(first, second, strict=True)}
    apart({*first, *second}, lambda a, b: frozenset((a, b)) in met)
    return {"counts": {k: v for k, v in found.items() if any(v)}}


def confusion(c):
    first, *labels = c.names
    rows = [t.strip() for t in c.texts(first, True)]
    need(labels and set(rows) - {"unclassified"} == set(labels) - {"unclassified"}, "no confusion")
    need(len(set(rows)) == len(rows) and "unclassified" not in labels, "a label twice")
    columns = {name: whole(c.cells[name]) for name in labels}
    found = {
        (r, name): v for name, column in columns.items() for r, v in zip(rows, column, strict=True)
    }
    return {"confusion": {k: v for k, v in found.items() if k[0] != "unclassified"}}


def order_of(cell):
    """Items in groups."""
    if not isinstance(cell, list):
        words = text(cell).strip()
        need(words, "an empty order")
        if words.startswith("["):
            try:
                cell = json.loads(words)
            except (ValueError, RecursionError):
                need(False, "no list")
            need(isinstance(cell, list), "no list")
    if isinstance(cell, list):
        need(cell and not any(isinstance(x, list | dict | bool) for x in cell), "no list of items")
        groups = [[text(x).strip()] for x in cell]
    else:
        need(not set(words) & set("<≤≥≻≺→←＞＜＝"), "another sign")
        signs = [s for s in "|;," if s in words]
        need(len(signs) + (">" in words or "=" in words) < 2, "two kinds of signs")
        if signs:
            groups = [[part.strip()] for part in words.split(signs[0])]
        else:
            groups = [[x.strip() for x in part.split("=")] for part in words.split(">")]
    items = [item for group in groups for item in group]
    need(all(items) and len(set(items)) == len(items), "a blank or an item twice")
    return groups


def orders(c):
    def column(*names):
        known = {n.casefold(): n for n in reversed(c.names)}
        return next((known[n] for n in names if n in known), None)

    system = column("system", "model", "judge", "rater", "annotator")
    document = column("document", "doc", "doc_id", "document_id", "text", "query")
    order, item, rank = (
        column("order", "ranking"),
        column("item", "item_id"),
        column("rank", "position"),
    )
    need(system is not None, "no systems")
    systems = c.systems(system)
    documents = c.texts(document) if document is not None else [""] * c.number
    keys = list(zip(documents, systems, strict=True))
    found = {}
    if order is not None:
        need(len(set(keys)) == len(keys), "two orders")
        for key, cell in zip(keys, c.cells[order], strict=True):
            found[key] = order_of(cell)
        return {"orders": found}
    if item is not None and rank is not None:
        cells = zip(keys, c.texts(item), numbers(c.cells[rank]), strict=True)
    else:
        rest = [n for n in c.names if n not in (system, document)]
        need(rest and len(set(keys)) == len(keys), "two orders")
        columns = {n: numbers(c.cells[n]) for n in rest}
        cells = [(key, n, columns[n][k]) for n in rest for k, key in enumerate(keys)]
    for key, name, value in cells:
        inner = found.setdefault(key, {})
        need(name not in inner, "an item twice")
        inner[name] = value
    return {"orders": {k: _grouped(inner) for k, inner in found.items()}}


def _grouped(ranks):
    given = {i: r for i, r in ranks.items() if r is not None}
    levels = sorted(set(given.values()))
    groups = [[i for i in given if given[i] == level] for level in levels]
    before = 0
    ways = dict.fromkeys(("low", "high", "mean", "dense"), True)
    for k, (level, group) in enumerate(zip(levels, groups, strict=True)):
        low, high = before + 1, before + len(group)
        for way, right in (
            ("low", low),
            ("high", high),
            ("mean", (low + high) / 2),
            ("dense", k + 1),
        ):
            ways[way] &= level == right
        before = high
    need(not levels or any(ways.values()), "a gap in ranks")
    return groups


def reading(kind, header, rows):
    """What a sheet says; None where a careful reader would ask."""
    try:
        c = Columns(header, rows)
        if kind == "read":
            return globals()[layout_of(c)](c)
        if kind in ("judgments", "tallies_from_table", "labels.read"):
            roles = {
                "judgments": ("first", "second", "winner"),
                "tallies_from_table": ("system", "item", "tp", "fp", "fn"),
                "labels.read": ("gold",),
            }[kind]
            need(c.has(*roles), "a column missing")
        by = {"judgments": judgments, "tallies_from_table": tallies, "read_confusion": confusion}
        by |= {"orders.read": orders, "labels.read": lambda c: predictions(c, 1)}
        return by[kind](c)
    except UnreadableError:
        return None
