"""Sheets to bytes and back, written plainly: no library of the package, and none of its own."""

import gzip
import json
import zlib

FORMATS = ("csv", "tsv", "json", "jsonl", "csv.gz", "jsonl.gz")


def written(sheet, form, rng=None):
    """The bytes of a file of this format."""
    kind = form.removesuffix(".gz")
    if kind in ("json", "jsonl"):
        records = [dict(zip(sheet.header, row, strict=False)) for row in sheet.rows]
        lines = [json.dumps(r, ensure_ascii=bool(rng and rng.random() < 0.5)) for r in records]
        content = "\n".join(lines) if kind == "jsonl" else "[" + ",\n".join(lines) + "]"
    else:
        mark = "\t" if kind == "tsv" else ","
        rows = [sheet.header, *sheet.rows]
        content = "".join(mark.join(quoted(cell, mark) for cell in row) + "\n" for row in rows)
    return content.encode()


def packed(data, form):
    return gzip.compress(data, mtime=0) if form.endswith(".gz") else data


def unpacked(data, form):
    """What was packed, None where it cannot be unpacked."""
    if not form.endswith(".gz"):
        return data
    try:
        return gzip.decompress(data)
    except (OSError, EOFError, zlib.error):
        return None


def quoted(cell, mark):
    """A cell as it stands in CSV."""
    if isinstance(cell, list):
        cell = json.dumps(cell)
    found = "" if cell is None else str(cell)
    if any(sign in found for sign in (mark, '"', "\n", "\r")):
        return '"' + found.replace('"', '""') + '"'
    return found


def parsed(data, form):
    """Header and rows of the bytes; None where they are no such file."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\0" in data:
        return None
    try:
        content = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None
    kind = form.removesuffix(".gz")
    if kind in ("json", "jsonl"):
        return _objects(content, kind)
    records = _records(content, "\t" if kind == "tsv" else ",")
    if not records:
        return None
    return records[0], records[1:]


def _objects(content, kind):
    def unique(pairs):
        if len(dict(pairs)) < len(pairs):
            raise ValueError
        return dict(pairs)

    try:
        if kind == "json":
            objects = json.loads(content, object_pairs_hook=unique)
        else:
            lines = [line for line in content.split("\n") if line.strip()]
            objects = [json.loads(line, object_pairs_hook=unique) for line in lines]
    except (ValueError, RecursionError):
        return None
    if not isinstance(objects, list) or not all(isinstance(o, dict) for o in objects):
        return None
    try:
        json.dumps(objects, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return None
    header = list(dict.fromkeys(key for o in objects for key in o))
    return header, [[o.get(key) for key in header] for o in objects]


def _records(content, mark):
    """Letter by letter; None where quotes do not fit."""
    records, record, cell, quoted_cell, k = [], [], "", False, 0
    started = False  # whether the record has anything in it
    while k < len(content):
        letter = content[k]
        if letter == '"' and cell == "" and not quoted_cell:
            started, quoted_cell, k = True, True, k + 1
            while True:
                end = content.find('"', k)
                if end < 0:
                    return None
                cell += content[k:end]
                k = end + 1
                if content[k : k + 1] != '"':
                    break
                cell, k = cell + '"', k + 1
            if k < len(content) and content[k] not in (mark, "\n", "\r"):
                return None
            continue
        if letter == mark:
            record.append(cell)
            cell, quoted_cell, started = "", False, True
        elif letter in "\r\n":
            if started:
                records.append([*record, cell])
            record, cell, quoted_cell, started = [], "", False, False
            k += content[k : k + 2] == "\r\n"
        else:
            cell, started = cell + letter, True
        k += 1
    return [*records, [*record, cell]] if started else records
