"""Valid tables of every layout, small and of random content: a header and rows of cells."""

from dataclasses import dataclass, field

ITEMS = ["q1", "q2", "007", "a b", "é-1", "q,5", 'q"6', "Q-7", "x;8", "10"]
SYSTEMS = ["A", "B", "gpt 4", "new,sys", "é", "S-6"]
LABELS = ["yes", "no", "PER", "not sure", "x,y"]
JUDGES = ["ann", "bob"]


@dataclass
class Sheet:
    """A header and rows of cells: str, int, float, bool, None or a list."""

    kind: str  # a layout, or the reader that takes it
    header: list
    rows: list
    notes: list = field(default_factory=list)  # what was done to it
    refuse: str = ""  # why it must be refused, where the cells alone do not say


def some(rng, values, least, most=None):
    """Some of the values, in random order."""
    number = rng.randint(least, min(most or len(values), len(values)))
    return rng.sample(values, number)


def wide(rng):
    systems, items = some(rng, SYSTEMS, 2, 4), some(rng, ITEMS, 2, 8)
    draw = rng.choice(
        [lambda: rng.randint(0, 1), lambda: round(rng.random(), 3), lambda: rng.randint(1, 5)]
    )
    rows = [[draw() for _ in systems] for _ in items]
    header = list(systems)
    if rng.random() < 0.8:
        header, rows = ["item", *header], [[i, *row] for i, row in zip(items, rows, strict=True)]
    if rng.random() < 0.3:
        role = rng.choice(["dataset", "cluster"])
        header, rows = [*header, role], [[*row, rng.choice("uv")] for row in rows]
    return Sheet("read", header, rows)


def long(rng):
    systems, items = some(rng, SYSTEMS, 2, 4), some(rng, ITEMS, 2, 6)
    rows = [[s, i, rng.randint(0, 1)] for s in systems for i in items]
    if rng.random() < 0.3:
        rows = rng.sample(rows, max(len(rows) - 2, 2))
    header = [rng.choice(["system", "model"]), rng.choice(["item", "id", "doc"]), "score"]
    if rng.random() < 0.3:
        header, rows = [*header, "epoch"], [[*row, e] for row in rows for e in (0, 1)]
    return Sheet("read", header, rows)


def predictions(rng, kind="read"):
    systems, items = some(rng, SYSTEMS, 2, 3), some(rng, ITEMS, 2, 8)
    labels = some(rng, LABELS, 2)
    rows = [[i, *(rng.choice(labels) for _ in range(len(systems) + 1))] for i in items]
    return Sheet(kind, ["id", "gold", *systems], rows)


def labels(rng):
    return predictions(rng, "labels.read")


def votes(rng, kind="read"):
    systems = some(rng, SYSTEMS, 2, 4)
    columns = rng.choice([("model_a", "model_b"), ("left", "right"), ("system_a", "system_b")])
    words = [*columns, "tie", "both", "a", "b", ""]
    rows = []
    for _ in range(rng.randint(2, 12)):
        a, b = rng.sample(systems, 2)
        clear = [word for word in words if word not in (a.casefold(), b.casefold())]
        rows.append([a, b, rng.choice([*clear, a, b])])  # "a" may be side or system "A"
    header = [*columns, "winner"]
    if kind != "read":
        header, rows = [*header, "judge"], [[*row, rng.choice(JUDGES)] for row in rows]
    return Sheet(kind, header, rows)


def judgments(rng):
    return votes(rng, "judgments")


def counts(rng):
    systems = some(rng, SYSTEMS, 2, 4)
    pairs = [(a, b) for k, a in enumerate(systems) for b in systems[:k]]
    ties = rng.random() < 0.7
    rows = [[a, b, *(rng.randint(0, 99) for _ in range(2 + ties))] for a, b in pairs]
    if rng.random() < 0.3:
        a, b, wins, losses, *rest = rows[0]
        rows.append([b, a, losses, wins, *rest])
    return Sheet("read", ["system_a", "system_b", "wins", "losses", *["ties"] * ties], rows)


def tallies(rng, kind="read"):
    systems, items = some(rng, SYSTEMS, 2, 3), some(rng, ITEMS, 2, 4)
    kinds = some(rng, LABELS, 1, 2) if rng.random() < 0.5 else [None]
    rows = [
        [s, i, *([k] if k else []), *(rng.randint(0, 9) for _ in range(3))]
        for s in systems
        for i in items
        for k in kinds
    ]
    header = ["system", "doc", *(["label"] if kinds[0] else []), "tp", "fp", "fn"]
    return Sheet(kind, header, rows)


def frame_of_tallies(rng):
    return tallies(rng, "tallies_from_table")


def confusion(rng):
    labels = some(rng, LABELS, 2, 4)
    rows = [[a, *(rng.randint(0, 30) for _ in labels)] for a in rng.sample(labels, len(labels))]
    if rng.random() < 0.3:
        rows.append(["unclassified", *(rng.randint(0, 3) for _ in labels)])
    return Sheet("read_confusion", ["predicted", *labels], rows)


def orders(rng):
    rows, documents = [], rng.choice([[None], ["d1", "d2"]])
    items = some(rng, ["i1", "i2", "x y", "z-4", "é"], 2, 5)
    for document in documents:
        for system in some(rng, SYSTEMS, 2, 3):
            order = rng.sample(items, len(items))
            sign = rng.choice([" > ", ">", "; ", "|", " = ", "json"])
            cell = order if sign == "json" else sign.join(order)
            if sign == " > " and len(order) > 2 and rng.random() < 0.5:
                cell = cell.replace(" > ", " = ", 1)
            rows.append([system, *([document] if document else []), cell])
    return Sheet("orders.read", ["system", *(["document"] if documents[0] else []), "order"], rows)


def ranks(rng):
    systems, items = some(rng, SYSTEMS, 2, 3), some(rng, ["i1", "i2", "x y", "é"], 2, 4)
    each = [rng.sample(range(1, len(items) + 1), len(items)) for _ in systems]
    if rng.random() < 0.5:
        return Sheet(
            "orders.read", ["judge", *items], [[s, *r] for s, r in zip(systems, each, strict=True)]
        )
    rows = [
        [s, i, r]
        for s, found in zip(systems, each, strict=True)
        for i, r in zip(items, found, strict=True)
    ]
    return Sheet("orders.read", ["judge", "item", "rank"], rows)


KINDS = (
    wide,
    long,
    predictions,
    votes,
    counts,
    tallies,
    judgments,
    labels,
    frame_of_tallies,
    confusion,
    orders,
    ranks,
)
