"""``trec_eval -q`` (measure, query, value) and ``ir_measures -q`` (query, measure, value).

Neither names the system: it is the file.
"""

import re
from array import array
from collections.abc import Iterator, Sequence

import numpy as np

from betterthan.io.problems import counted, problem, quoted
from betterthan.io.texts import repeated
from betterthan.logs.json_values import parse_score
from betterthan.logs.record import Cells, Run
from betterthan.logs.sniffing import LogFile, Preview

_ALL = {"all", "amean"}  # the line of all queries
_TREC_EVAL_MEASURES = """
    map gm_map rprec bpref recip_rank iprec_at_recall p recall infap gm_bpref ndcg ndcg_rel rndcg
    11pt_avg bing g map_avgjg p_avgjg relative_p rel_p success set_p set_recall set_f set_map
    set_relative_p utility rprec_mult yaap prefs_simp prefs_pair prefs_avgjg binpref ndcg_cut
    map_cut
"""  # in small letters, before _10 and _0.20
_IR_MEASURES = """
    accuracy alpha_dcg alpha_ndcg ap ap_ia bpref compat err err_ia inap infap inst ipre ipreck
    judged nerr8 nerr9 nerr10 nerr11 nndcg ndcg dcg nrbp p p_ia precision r recall rbp rprec rr mrr
    map sdcg setap setf setp setr strec success
"""  # in small letters, before (rel=2) and @10
_WORDS, _NAMES = frozenset(_TREC_EVAL_MEASURES.split()), frozenset(_IR_MEASURES.split())
_COUNTS = re.compile(
    r"num_?[a-z_]+(\(.*)?|runid|relstring.*", re.IGNORECASE
)  # of documents: no score


def recognises(preview: Preview) -> bool:
    """Whether the first lines are of measures, queries and values."""
    return preview.kind == "text" and _order(preview.lines) is not None


def runs(files: Sequence[LogFile]) -> list[Run]:
    """A run for each file."""
    return [_run(file) for file in files]


def _order(texts: Sequence[str]) -> tuple[int, int] | None:
    """The columns of measure and query, or None where these are no lines of measures."""
    lines = [text.split() for text in texts if text.strip()]
    lines = lines[:-1] if len(lines) > 1 else lines  # the last of the first bytes may be cut
    if not lines or any(len(line) != 3 for line in lines):
        return None
    if any(_value(line[2]) is None and not _COUNTS.fullmatch(line[0]) for line in lines):
        return None
    first = any(_word(line[0]) in _WORDS or _COUNTS.fullmatch(line[0]) for line in lines)
    second = any(_name(line[1]) in _NAMES for line in lines)
    return None if first == second else (0, 1) if first else (1, 0)


def _word(measure: str) -> str:
    """``ndcg_cut_10`` and ``P_5`` without their depths."""
    return re.sub(r"([._][0-9.]+)+$", "", measure).lower()


def _name(measure: str) -> str:
    """``nDCG(rel=2)@10`` without its settings."""
    return re.split(r"[(@]", measure)[0].lower()


def _value(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _run(file: LogFile) -> Run:
    if (order := _order(file.preview.lines)) is None:
        raise problem(file.name, "holds no lines of measure, query and value")
    tool = "trec_eval" if order[0] == 0 else "ir_measures"
    run = Run(tool, [file.name], rule="mean of rounded")
    if double := _add_lines(run, file, *order):
        message = f"{counted(double, 'line')} of {file.name} given twice, counted once"
        run.notes.append(("twice", message))
    if not len(run.cells):
        raise problem(file.name, f"holds no queries, only their mean; run {tool} -q")
    return run


def _add_lines(run: Run, file: LogFile, measure: int, query: int) -> int:
    """Add all queries; return the number of duplicate lines."""
    samples: dict[str, int] = {}
    rows = array("Q")
    for row, fields in _lines(file):
        metric, item = fields[measure], fields[query]
        if _COUNTS.fullmatch(metric):
            continue
        value = parse_score(fields[2], file.name, row, metric)
        if item in _ALL:
            run.reported[metric] = value
            continue
        if item not in samples:
            samples[item] = run.cells.sample(item, text=item, row=row)
        run.cells.score(samples[item], metric, value)
        rows.append(row)
    return _drop_doubles(run.cells, file, rows)


def _drop_doubles(cells: Cells, file: LogFile, rows: array[int]) -> int:
    """Drop scores that stand in several lines, and return how many; refuse others than before."""
    places = {metric: k for k, metric in enumerate(dict.fromkeys(cells.metric))}
    keys = np.fromiter(map(places.__getitem__, cells.metric), np.int64, len(rows))
    keys += np.asarray(cells.score_sample) * len(places)
    if not len(repeated(keys)):
        return 0
    first: dict[int, int] = {}
    for k, key in enumerate(keys.tolist()):
        before = first.setdefault(key, k)
        if cells.raw[before] != cells.raw[k]:
            item = quoted(cells.item[cells.score_sample[k]])
            reason = f"{cells.metric[k]} of query {item} is there twice"
            reason += f", before with {cells.raw[before]}"
            raise problem(file.name, reason, row=rows[k], value=cells.raw[k])
    kept = list(first.values())
    cells.score_sample = array("q", [cells.score_sample[k] for k in kept])
    cells.raw = array("d", [cells.raw[k] for k in kept])
    cells.metric, cells.status = ([of[k] for k in kept] for of in (cells.metric, cells.status))
    return len(keys) - len(kept)


def _lines(file: LogFile) -> Iterator[tuple[int, list[str]]]:
    with file.open() as lines:
        for row, line in enumerate(lines, start=1):
            try:
                fields = line.decode("utf-8-sig").split()
            except UnicodeDecodeError:
                reason = "not UTF-8; save the file as UTF-8"
                raise problem(file.name, reason, row=row) from None
            if fields and len(fields) != 3:
                reason = f"has {len(fields)} fields where there are 3; is the file cut?"
                raise problem(file.name, reason, row=row)
            if fields:
                yield row, fields
