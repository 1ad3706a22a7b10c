"""Damage to the files of a log: to values, to lines, to the text of JSON, and to bytes."""

import copy
import io
import json
import re
import zipfile

from validation.fuzzing.mutations import BYTES

LITERALS = (
    *("null", "true", "false", "0", "1", "-1", "0.5", "1.5", "100", "1e308", "1e999", "-1e999"),
    *("1e-400", "NaN", "Infinity", "9007199254740993", "1" * 30, "1" * 4400),
    *('""', '"x"', '"1.0"', '"0"', '"yes"', '"C"', '" "', '"q0"', '"nan"', '"1e-400"', '"\\ud800"'),
    *('"\\u0000"', '"x\\u0000"', '"\\u001b[31m"', '"\\u202e"', '"ERROR"', "[]", "[1]", "[[]]"),
    *("{}", '{"a": 1}', "[{}]", '{"value": 1}', '{"a": {"b": [1]}}', "[" * 3000 + "]" * 3000),
)
_MARK = "@literal@"
_TOKEN = re.compile(r"[^\s,\"]+")
_PAIR = re.compile(r'"[^"\\]*": (?:"[^"\\]*"|[-\w.]+)')


def places(value, path=()):
    """The paths of all values below."""
    below = value.items() if isinstance(value, dict) else ()
    below = enumerate(value) if isinstance(value, list) else below
    for key, one in below:
        yield (*path, key)
        yield from places(one, (*path, key))


def _parent(value, path):
    for key in path[:-1]:
        value = value[key]
    return value


def replaced_value(rng, value, path):
    _parent(value, path)[path[-1]] = _MARK


def removed_value(rng, value, path):
    del _parent(value, path)[path[-1]]


def repeated_value(rng, value, path):
    parent = _parent(value, path)
    if isinstance(parent, list):
        parent.insert(rng.randrange(len(parent) + 1), copy.deepcopy(parent[path[-1]]))
    else:
        parent["more"] = copy.deepcopy(parent[path[-1]])


def renamed_key(rng, value, path):
    parent = _parent(value, path)
    if isinstance(parent, dict):
        new = rng.choice(["", "x", "\0", "\ud800", str(path[-1]).upper(), f"{path[-1]} "])
        pairs = [(new if k == path[-1] else k, v) for k, v in parent.items()]
        parent.clear()
        parent.update(pairs)


def reordered(rng, value, path):
    parent = _parent(value, path)
    if isinstance(parent, list):
        rng.shuffle(parent)
    else:
        pairs = rng.sample(list(parent.items()), len(parent))
        parent.clear()
        parent.update(pairs)


def moved_value(rng, value, path):
    other = rng.choice(list(places(value)))
    _parent(value, path)[path[-1]] = copy.deepcopy(_parent(value, other)[other[-1]])


VALUES = (
    *[replaced_value] * 4,
    *[removed_value] * 2,
    *(repeated_value, renamed_key, reordered, moved_value),
)


def text_of(rng, name, value):
    """The text of a file, with a literal in the place of the value that was replaced."""
    if isinstance(value, str):
        return value
    if name.endswith(".csv") and isinstance(value, list):
        rows = [row if isinstance(row, list) else [row] for row in value]
        text = "".join(",".join(map(_cell, row)) + "\n" for row in rows)
    elif name.endswith(".jsonl") and isinstance(value, list):
        text = "".join(json.dumps(line) + "\n" for line in value)
    else:
        text = json.dumps(value, indent=rng.choice([None, 1]))
    literal = rng.choice(LITERALS)
    if name.endswith(".csv"):
        return text.replace(_MARK, literal.strip('"'))
    return text.replace(f'"{_MARK}"', literal)


def _cell(value):
    return value if isinstance(value, str) else json.dumps(value)


def repeated_key(rng, text):
    pairs = list(_PAIR.finditer(text))
    if not pairs:
        return text
    pair = rng.choice(pairs)
    key = pair[0].partition(": ")[0]
    again = rng.choice([pair[0], f"{key}: {rng.choice(LITERALS)}"])
    return f"{text[: pair.end()]}, {again}{text[pair.end() :]}"


def changed_token(rng, text):
    tokens = list(_TOKEN.finditer(text))
    if not tokens:
        return text
    token = rng.choice(tokens)
    other = rng.choice([*LITERALS, rng.choice(tokens)[0]]).strip('"')
    return text[: token.start()] + other + text[token.end() :]


def changed_lines(rng, text):
    lines = text.splitlines(keepends=True)
    if len(lines) < 2:
        return text
    k = rng.randrange(len(lines))
    way = rng.choice(("removed", "repeated", "reordered"))
    if way == "reordered":
        rng.shuffle(lines)
    else:
        lines[k : k + 1] = [] if way == "removed" else [lines[k]] * 2
    return "".join(lines)


TEXTS = (repeated_key, changed_token, changed_lines)


def packed(rng, members):
    """A zip file of some members."""
    buffer = io.BytesIO()
    method = rng.choice([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(name), data)
    return buffer.getvalue()


def mutated(rng, files):
    """The bytes of each file, and what was done to them; sometimes nothing."""
    files = copy.deepcopy(files)
    notes = []
    flat = {(n, m): v for n, f in files.items() for m, v in _members(n, f).items()}
    target = rng.choice(list(flat))
    number = 0 if rng.random() < 0.05 else rng.choice([1, 1, 1, 2, 3])
    depths = [rng.choice(["value", "value", "text", "bytes"]) for _ in range(number)]
    for _ in range(depths.count("value")):
        paths = list(places(flat[target])) if not isinstance(flat[target], str) else []
        if paths:
            way = rng.choice(VALUES)
            way(rng, flat[target], rng.choice(paths))
            notes.append(way.__name__)
    texts = {key: text_of(rng, key[1] or key[0], value) for key, value in flat.items()}
    for _ in range(depths.count("text")):
        way = rng.choice(TEXTS)
        texts[target] = way(rng, texts[target])
        notes.append(way.__name__)
    data = {key: text.encode("utf-8", "surrogatepass") for key, text in texts.items()}
    packed_files = {}
    for name in files:
        members = {m: d for (n, m), d in data.items() if n == name}
        packed_files[name] = members[""] if "" in members else packed(rng, members)
    for _ in range(depths.count("bytes")):
        way = rng.choice(BYTES)
        if packed_files[target[0]]:
            packed_files[target[0]] = way(rng, packed_files[target[0]])
            notes.append(way.__name__)
    return packed_files, notes


def _members(name, value):
    return value if name.endswith(".eval") else {"": value}
