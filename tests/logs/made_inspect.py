"""Small logs as Inspect writes them."""

import json
import struct
import zlib

from betterthan.io.compression import zstd

STORED, DEFLATE, ZSTD = 0, 8, 93


def packed(data, method, frames=1):
    if method == DEFLATE:
        pack = zlib.compressobj(wbits=-15)
        return pack.compress(data) + pack.flush()
    if method == ZSTD:
        step = -(-len(data) // frames) or 1
        parts = [data[k : k + step] for k in range(0, len(data), step)]
        return b"".join(zstd().compress(part) for part in parts)
    return data


def archive(path, members, method=ZSTD, frames=1, crc=None, size=None):
    """A zip file of members, whose check sum or size can be made wrong."""
    body, directory = bytearray(), bytearray()
    for name, data in members:
        raw, name = packed(data, method, frames), name.encode()
        told = zlib.crc32(data) if crc is None else crc, len(raw), size or len(data), len(name)
        offset = len(body)
        body += struct.pack("<4s5H3L2H", b"PK\3\4", 63, 0, method, 0, 33, *told, 0) + name + raw
        kind = (63, 63, 0, method, 0, 33)
        head = struct.pack("<4s6H3L5H2L", b"PK\1\2", *kind, *told, 0, 0, 0, 0, 0, 0)
        directory += head[:-4] + struct.pack("<L", offset) + name
    counts = (len(members), len(members), len(directory), len(body), 0)
    path.write_bytes(body + directory + struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, *counts))
    return path


def header(model="org/alpha", ids=("q0", "q1"), scorers=("match",), scores=(), **changes):
    """A header; `changes` by ``eval__model``."""
    about = {
        "eval_id": "e1",
        "run_id": "r1",
        "created": "2026-11-20T21:54:07+00:00",
        "task": "toy",
        "task_id": "t1",
        "task_version": 0,
        "dataset": {"name": "toy", "samples": len(ids), "sample_ids": list(ids)},
        "model": model,
        "model_args": {},
        "config": {"epochs": 1},
        "packages": {"inspect_ai": "0.3.285"},
        "scorers": [
            {"name": s, "options": {}, "metrics": [{"name": "inspect_ai/accuracy"}]}
            for s in scorers
        ],
    }
    found = {
        "version": 2,
        "status": "success",
        "eval": about,
        "plan": {"name": "plan", "steps": [{"solver": "generate", "params": {}}], "config": {}},
        "results": {"total_samples": len(ids), "scores": list(scores)},
        "stats": {"started_at": "2026-11-20T21:54:07+00:00"},
    }
    for path, value in changes.items():
        *parents, last = path.split("__")
        at = found
        for parent in parents:
            at = at[parent]
        at[last] = value
    return found


def reported(scorer, value, reducer=None, name=None, metric="accuracy"):
    """What the header says of a scorer."""
    metrics = {metric: {"name": metric, "value": value}}
    return {"name": name or scorer, "scorer": scorer, "reducer": reducer, "metrics": metrics}


def summary(id, value="C", epoch=1, input=None, scorer="match", **more):
    """A sample, as summaries hold it; without a score where `value` is None."""
    scores = {} if value is None else {scorer: {"value": value, "answer": "x"}}
    given = {"input": input or f"What is {id}?", "target": "0"}
    return {"id": id, "epoch": epoch, **given, "scores": scores, **more}


def eval_log(path, head, samples, full=(), **how):
    """An .eval of a finished run; `full` are samples as members hold them."""
    members = [(f"samples/{s['id']}_epoch_{s['epoch']}.json", _bytes(s)) for s in full]
    members += [("summaries.json", _bytes(samples)), ("header.json", _bytes(head))]
    return archive(path, members, **how)


def died(path, head, parts, **how):
    """An .eval of a run that was killed: its journal alone."""
    start = {"version": 2, "eval": head["eval"], "plan": head["plan"]}
    members = [("_journal/start.json", _bytes(start))]
    members += [
        (f"_journal/summaries/{k}.json", _bytes(part)) for k, part in enumerate(parts, start=1)
    ]
    return archive(path, members, **how)


def json_log(path, head, samples):
    """A .json log."""
    path.write_bytes(_bytes(head | {"samples": samples}))
    return path


def _bytes(value):
    return json.dumps(value).encode()
