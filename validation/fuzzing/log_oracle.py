"""The scores in a log, by a strict and plain reader of each tool: standard library only.

Each function takes the bytes of files by name and returns the numbers that count, each with its
key (the item, or the row where the log has no ids) and its metric. What it does not know it
refuses: then no reader may return a number.
"""

import csv
import io
import json
import math
import re
import zipfile
import zlib

_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff]")
_BLANKS = {"", "nan", "none", "null", "na", "n/a", "<na>"}
_WORDS = {"true": 1.0, "false": 0.0, "yes": 1.0, "no": 0.0, "pass": 1.0, "fail": 0.0}


class StrictError(Exception):
    """A strict reader does not accept the file."""


def need(condition, reason):
    if not condition:
        raise StrictError(reason)


def clean(value, *, digits=False):
    """A name: a text without control characters; a whole number as its digits where asked."""
    if digits and isinstance(value, float) and math.isfinite(value) and value == int(value):
        value = int(value)
    need(value is not None, "no name")
    text = str(value)
    need(not _CONTROL.search(text), "a control character")
    return text.strip()


# JSON


def _unique(pairs):
    need(len(dict(pairs)) == len(pairs), "a key twice")
    return dict(pairs)


def _float(literal):
    value = float(literal)
    mantissa = literal.lower().partition("e")[0]
    need(value or not re.search("[1-9]", mantissa), "a number that vanishes")
    return value


def parsed(data):
    try:
        text = data.decode("utf-8-sig") if data[:2] not in (b"\xff\xfe", b"\xfe\xff") else ""
        return json.loads(text, object_pairs_hook=_unique, parse_float=_float)
    except (ValueError, RecursionError) as error:
        raise StrictError(str(error)) from None


def the(value, kind):
    """A value that must be of a kind."""
    need(isinstance(value, kind), f"no {kind}")
    return value


def lines_or_list(data, name):
    """The objects of JSON Lines, a JSON list, or one object, with their place."""
    if name.endswith(".jsonl"):
        lines = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
        try:
            rows = [(k, parsed(line)) for k, line in enumerate(lines, 1) if line.strip()]
        except StrictError:
            rows = _whole(data)
    else:
        rows = _whole(data)
    return [(k, the(row, dict)) for k, row in rows]


def _whole(data):
    value = parsed(data)
    return list(enumerate(value if isinstance(value, list) else [value], 1))


def table(data, name):
    """The rows of CSV by name of column, or of JSON."""
    if not name.endswith(".csv"):
        return lines_or_list(data, name)
    need(data[:2] not in (b"\xff\xfe", b"\xfe\xff"), "UTF-16")
    try:
        text = data.decode("utf-8-sig")
        tabs = text.partition("\n")[0].count("\t") > text.partition("\n")[0].count(",")
        rows = csv.reader(io.StringIO(text, ""), delimiter="\t" if tabs else ",", strict=True)
        header, *records = _with_lines(rows)
    except (ValueError, csv.Error):
        raise StrictError("no table") from None
    names = [cell.strip() for cell in header[1]]
    need(len(set(names)) == len(names), "a column twice")
    need(all(len(row) == len(names) for _, row in records), "another number of cells")
    return [(k, dict(zip(names, row, strict=True))) for k, row in records]


def _with_lines(rows):
    """The rows that hold something, each with the line where it begins."""
    line = 1
    for row in rows:
        if row:
            yield line, row
        line = rows.line_num + 1


# scores


def blank(value):
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return True
    return isinstance(value, str) and value.strip().casefold() in _BLANKS


def finite(value):
    """A JSON number, None where there is none."""
    if value is None or value != value:
        return None
    need(isinstance(value, int | float) and not isinstance(value, bool), "no number")
    need(abs(value) <= 1e100, "too large")
    return float(value)


def score(value):
    """A number, a truth, or a word or digits of one; None where there is none."""
    if blank(value):
        return None
    if isinstance(value, str):
        word = value.strip().casefold()
        if word in _WORDS:
            return _WORDS[word]
        need(word.isascii() and "_" not in word, "no number")
        value = _number(word)
        need(value is not None, "no number")
        _float(word)
    need(isinstance(value, bool | int | float), "no number")
    try:
        value = float(value)
    except OverflowError:
        raise StrictError("too large") from None
    need(math.isfinite(value), "infinite")
    return value


def _number(text):
    try:
        return float(text)
    except ValueError:
        return None


def _digits(text):
    """The number that a text is, None where it is none, or would vanish."""
    number = _number(text)
    return None if number == 0 and re.search("[1-9]", text.lower().partition("e")[0]) else number


def epoch(value, otherwise):
    if value is None:
        return otherwise
    whole = type(value) is int or (type(value) is float and math.isfinite(value))
    need(whole and value == int(value) and abs(value) < 10**6, "no epoch")
    return int(value)


def _listed(value):
    """A list, empty where there is none."""
    return [] if value is None else the(value, list)


def known(cells):
    """The cells that have a number, by key and metric."""
    cells = [(key, metric, value) for key, metric, value in cells if value is not None]
    need(not any(_CONTROL.search(metric) for _, metric, _ in cells), "a control character")
    return set(cells)


# tools


def inspect(files):
    ((_, data),) = files.items()
    if data[:2] == b"PK":
        try:
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                header, samples = (
                    parsed(archive.read(f"{name}.json")) for name in ("header", "summaries")
                )
        except (zipfile.BadZipFile, KeyError, NotImplementedError, RuntimeError) as error:
            raise StrictError(str(error)) from None
        except (zlib.error, EOFError, ValueError, OSError) as error:
            raise StrictError(str(error)) from None
    else:
        header = parsed(data)
        samples = the(header, dict).get("samples") or []
    the(the(header, dict).get("eval"), dict)
    last = {}
    for sample in the(samples, list):
        the(sample, dict)
        need(isinstance(sample.get("id"), str | int | float), "no id")
        key = clean(str(sample["id"])), epoch(sample.get("epoch"), 1)
        last[key] = sample
        the(sample.get("id"), str | int | float)
    cells = []
    for (id, number), sample in last.items():
        id = clean(sample["id"], digits=True)
        if sample.get("error") is None:
            cells += [((id, number), m, v) for m, v in _inspect_scores(sample)]
    return known(cells)


def _inspect_scores(sample):
    scores = sample.get("scores")
    if not isinstance(scores, dict):
        scores = {"match": sample["score"]} if isinstance(sample.get("score"), dict) else {}
    for scorer, one in scores.items():
        value = one.get("value") if isinstance(one, dict) else one
        parts = value.items() if isinstance(value, dict) else [("", value)]
        for key, part in parts:
            yield (f"{scorer}/{key}" if isinstance(value, dict) else scorer), _inspect_value(part)


def _inspect_value(value):
    if isinstance(value, str):
        words = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}
        truths = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
        number = words.get(value, truths.get(value.lower(), _digits(value)))
    else:
        number = value if isinstance(value, bool | int | float) else None
    return _if_finite(number)


def _if_finite(number):
    """A number that counts, None for others; what has no finite float is left unscored."""
    try:
        return None if number is None or not math.isfinite(number) else float(number)
    except OverflowError:
        return None


def lm_eval(files):
    cells = []
    for name, data in files.items():
        if not name.startswith("samples"):
            parsed(data)
            continue
        for _, row in lines_or_list(data, name):
            need("doc_id" in row, "no document")
            chosen = row.get("filter") or "none"
            need(isinstance(chosen, str), "no filter")
            metrics = _listed(row.get("metrics")) or _lm_eval_metrics(files, row)
            for metric in metrics:
                value = row.get(the(metric, str))
                value = _digits(value) if isinstance(value, str) else value
                value = value if isinstance(value, bool | int | float) else None
                full = metric if chosen == "none" else f"{metric},{chosen}"
                cells.append((clean(row["doc_id"], digits=True), full, _if_finite(value)))
    return known(cells)


_NO_METRICS = {"doc_id", "doc", "target", "arguments", "filter", "metrics", "sample_len", "resps"}
_NO_METRICS |= {"filtered_resps", "doc_hash", "prompt_hash", "target_hash"}


def _lm_eval_metrics(files, row):
    """The metrics of a row that does not name them: those of the results, or its other keys."""
    for name, data in files.items():
        if name.startswith("results"):
            task = parsed(data).get("results", {}).get("toy", {})
            numbers = [k for k, v in task.items() if isinstance(v, bool | int | float)]
            return list(dict.fromkeys(k.partition(",")[0] for k in numbers))
    return [k for k in row if k not in _NO_METRICS]


def every_eval_ever(files):
    cells, failed = [], set()
    for name, data in files.items():
        rows = lines_or_list(data, name)
        if not name.endswith("_samples.jsonl"):
            continue
        for _, row in rows:
            item, judged = clean(row.get("sample_id")), row.get("evaluation")
            judged = judged if isinstance(judged, dict) else {}
            metric = row.get("evaluation_result_id")
            metric = metric if isinstance(metric, str) and metric else "score"
            value = judged.get("score")
            if value is None and isinstance(judged.get("is_correct"), bool):
                value = int(judged["is_correct"])
            run = [row.get(k) for k in ("model_id", "evaluation_name")]
            run = tuple(x if isinstance(x, str) else "" for x in run)
            cells.append((run, item, metric, finite(value)))
            if row.get("error"):
                failed.add((run, item))
    return known((item, m, v) for run, item, m, v in cells if (run, item) not in failed)


def harbor(files):
    cells = []
    for data in files.values():
        trial = the(parsed(data), dict)
        if "task_name" not in trial:
            continue
        verifier = trial.get("verifier_result")
        verifier = verifier if isinstance(verifier, dict) else {}
        rewards = verifier.get("rewards", verifier.get("reward"))
        if rewards is not None and not isinstance(rewards, dict):
            rewards = {"reward": rewards}
        item = clean(trial["task_name"])
        cells += [(item, metric, finite(value)) for metric, value in (rewards or {}).items()]
    return known(cells)


def swebench(files):
    cells = {}
    for data in files.values():
        value = the(parsed(data), dict)
        lists = ["resolved_ids", "infra_failure_ids", "ambiguous_failure_ids", "error_ids"]
        lists += ["empty_patch_ids", "unresolved_ids"]
        if "resolved" in value and isinstance(value["resolved"], list):
            lists = ["resolved", "no_logs", "no_generation"]
            cells |= dict.fromkeys(("a__a-1", "b__b-2", "c__c-3"), 0.0)
        elif not set(lists) & value.keys():
            for item, detail in value.items():
                resolved = the(detail, dict).get("resolved")
                need(resolved is None or isinstance(resolved, bool), "neither true nor false")
                cells[clean(item)] = None if resolved is None else float(resolved)
            continue
        first = {}
        for key in lists:
            ids = value.get(key)
            for item in _listed(ids):
                right = 1.0 if key.startswith("resolved") else 0.0
                is_error = key.startswith(("infra", "ambiguous", "error", "no_logs"))
                first.setdefault(clean(item), None if is_error else right)
        cells |= first
    return known((item, "resolved", value) for item, value in cells.items())


def tau2(files):
    cells = []
    for data in files.values():
        value = the(parsed(data), dict)
        simulations = the(value.get("simulations"), list) if "simulations" in value else [value]
        for one in simulations:
            the(one, dict)
            number = epoch(one.get("trial"), 0) + 1
            reward = one.get("reward_info")
            reward = reward.get("reward") if isinstance(reward, dict) else None
            reward = finite(reward)
            need(reward is None or 0 <= reward <= 1, "no reward")
            cells.append(((clean(one.get("task_id")), number), "reward", reward))
    return known(cells)


_BOOKS = ("num_", "inference_", "training_", "prompt_", "finish_reason", "batch_size", "max_prob")


def helm(files):
    cells = []
    for name, data in files.items():
        value = parsed(data)
        if not name.startswith("per_instance"):
            continue
        rows = [the(row, dict) for row in the(value, list)]
        splits = [_first_name(row).get("split") for row in rows]
        splits = [split if isinstance(split, str) else "" for split in splits]
        counts = {split: splits.count(split) for split in splits}
        chosen = "test" if "test" in counts else max(counts, key=counts.get, default="")
        for row, split in zip(rows, splits, strict=True):
            need(row.get("instance_id") is not None, "no instance")
            if split == chosen:
                changed = row.get("perturbation") or _first_name(row).get("perturbation")
                changed = changed.get("name") if isinstance(changed, dict) else ""
                item = str(row["instance_id"])
                item = f"{item} ({changed})" if isinstance(changed, str) and changed else item
                key = clean(item), epoch(row.get("train_trial_index"), 0) + 1
                cells += [(key, metric, value) for metric, value in _stats(row)]
    return known(cells)


def _first_name(row):
    stats = row.get("stats") if isinstance(row.get("stats"), list) else []
    stats = [stat for stat in stats if isinstance(stat, dict)]
    name = stats[0].get("name") if stats else None
    return name if isinstance(name, dict) else {}


def _stats(row):
    for stat in row.get("stats") if isinstance(row.get("stats"), list) else ():
        name = stat.get("name") if isinstance(stat, dict) else None
        name = name.get("name") if isinstance(name, dict) else None
        if isinstance(name, str) and name and not name.startswith(_BOOKS):
            count, mean = stat.get("count"), finite(stat.get("mean"))
            count = _number(count) if isinstance(count, str) else count
            counted = isinstance(count, bool | int | float) and count
            yield name, mean if counted else None


def promptfoo(files):
    ((name, data),) = files.items()
    value = parsed(data) if name.endswith(".json") else None
    if isinstance(value, dict) and "evalId" in value:
        rows = list(enumerate(the(the(value.get("results"), dict).get("results"), list), 1))
    else:
        rows = lines_or_list(data, name)
    cells, tests = [], set()
    for k, row in rows:
        the(row, dict)
        test = json.dumps([row.get(c) for c in ("provider", "prompt", "promptIdx", "testIdx")])
        if isinstance(row.get("testIdx"), int) and test in tests:
            continue  # the same again, or refused
        tests.add(test)
        reason, grading, test = (row.get(c) for c in ("failureReason", "gradingResult", "testCase"))
        failed = bool(row.get("error")) and not grading if reason is None else reason == 2
        if isinstance(test, dict):
            checked = bool(test.get("assert"))
        else:
            checked = isinstance(grading, dict) and grading.get("reason") != "No assertions"
        named = row.get("namedScores") if isinstance(row.get("namedScores"), dict) else {}
        named = {f"{m} (named)" if m in ("score", "success") else m: v for m, v in named.items()}
        for metric, cell in {
            "score": row.get("score"),
            "success": row.get("success"),
            **named,
        }.items():
            number = score(cell)
            cells.append((k, metric, number if checked and not failed else None))
    return known(cells)


def _numbered(names):
    """Names, from the second of its kind on with its number."""
    ends = {2: "2nd", 3: "3rd"}
    seen = {}
    for name in names:
        seen[name] = k = seen.get(name, 0) + 1
        yield name if k == 1 else f"{name} ({ends.get(k, f'{k}th')})"


def deepeval(files):
    ((_, data),) = files.items()
    value, cells, k = the(parsed(data), dict), [], 0
    for kind in ("testCases", "conversationalTestCases"):
        for case in _listed(value.get(kind)):
            k += 1
            metrics = _listed(the(case, dict).get("metricsData"))
            names = _numbered([_as_name(the(metric, dict).get("name")) for metric in metrics])
            for metric, name in zip(metrics, names, strict=True):
                number = score(metric.get("score"))
                cells.append((k, name, number if blank(metric.get("error")) else None))
    return known(cells)


def _as_name(value):
    return value if isinstance(value, str) else "" if value is None else str(value)


def pydantic_evals(files):
    ((_, data),) = files.items()
    value, cells = the(parsed(data), dict), []
    for k, case in enumerate(_listed(value.get("cases")), 1):
        scores, assertions = (the(case, dict).get(c) for c in ("scores", "assertions"))
        scores = scores if isinstance(scores, dict) else {}
        assertions = assertions if isinstance(assertions, dict) else {}
        clash = {f"{m} (assertion)" if m in scores else m: v for m, v in assertions.items()}
        for metric, result in (scores | clash).items():
            number = score(result.get("value") if isinstance(result, dict) else result)
            cells.append((k, metric, None if "error_message" in case else number))
    return known(cells)


_AS_RAGAS = re.compile(
    r"|Unnamed.*|index|id|.*_id|user_input|response|.*reference.*|.*contexts?|rubrics?|error|metadata"
)


def tool_rows(files):
    ((name, data),) = files.items()
    rows = table(data, name)
    columns = set(rows[0][1]) if rows else set()
    cells, first = [], {}
    for k, row in rows:
        key, metrics, failed = _tool_row(columns, row)
        if key is not None:
            before = first.setdefault(str(key), (k, row))
            if before[0] != k:
                need(before[1] == row, "another row of the same id")
                continue
        cells += [(k, m, v, failed or m in _failed_scorers(row)) for m, v in metrics.items()]
    texts = {m for _, m, v, _ in cells if not blank(v) and not _is_score(v)}
    texts -= {m for _, m, v, _ in cells if not blank(v) and _is_score(v)}
    return known((k, m, None if fail else score(v)) for k, m, v, fail in cells if m not in texts)


def _is_score(value):
    try:
        score(value)
    except StrictError:
        return isinstance(value, bool | int | float) or (
            isinstance(value, str) and _number(value) is not None
        )
    return True


def _tool_row(columns, row):
    """The id of a row, its scores by metric, and whether it failed."""
    if "trace_id" in columns:
        metrics = {c.removesuffix("/value"): v for c, v in row.items() if c.endswith("/value")}
        failed = not blank(row.get("state")) and str(row["state"]).endswith("ERROR")
        return _filled(row.get("trace_id")), metrics, failed
    if any(c.startswith("feedback.") for c in columns):
        metrics = {
            c.removeprefix("feedback."): v for c, v in row.items() if c.startswith("feedback.")
        }
        return _filled(row.get("id")), metrics, not blank(row.get("error"))
    if "scores" in columns:
        scores = row.get("scores")
        if isinstance(scores, str) and not blank(scores):
            scores = parsed(scores.encode("utf-8", "surrogatepass"))
        scores = {} if blank(scores) else the(scores, dict)
        one = {m: v[0] if isinstance(v, list) and len(v) == 1 else v for m, v in scores.items()}
        key = _filled(row.get("id"))
        return key, one, not blank(row.get("error"))
    need({"user_input", "response"} <= columns, "columns of no tool")
    metrics = {c: v for c, v in row.items() if not _AS_RAGAS.fullmatch(c)}
    return None, metrics, not blank(row.get("error"))


def _filled(value):
    return None if blank(value) else value


def _failed_scorers(row):
    end = "/error_message"
    return {c.removesuffix(end) for c, v in row.items() if c.endswith(end) and not blank(v)}


def _plain_lines(data):
    try:
        return [line.removeprefix("\ufeff") for line in data.decode().split("\n")]
    except UnicodeDecodeError:
        raise StrictError("no UTF-8") from None


def trec(files):
    ((_, data),) = files.items()
    cells = {}
    for line in _plain_lines(data):
        fields = line.split()
        need(len(fields) in (0, 3), "another number of fields")
        if fields and not re.fullmatch(r"(?i)num_?[a-z_]+(\(.*)?|runid|relstring.*", fields[0]):
            value = score(fields[2])
            if fields[1] not in ("all", "amean"):
                key = clean(fields[1]), fields[0]
                need(cells.setdefault(key, value) == value, "another value before")
    return known((item, metric, value) for (item, metric), value in cells.items())


_SENTENCE = re.compile(r"(BLEU|chrF\d*\+*|TER)\|([^ ]*\bversion:[^ ]+) = (\S+)(?: .*)?")


def sacrebleu(files):
    ((_, data),) = files.items()
    number, signatures, cells = {}, {}, []
    for line in data.decode("utf-8-sig", "replace").split("\n"):
        if line.strip():
            fit = _SENTENCE.fullmatch(line.strip())
            need(fit, "no sentence")
            metric, signature, value = fit.groups()
            need(signatures.setdefault(metric, signature) == signature, "another signature")
            number[metric] = number.get(metric, 0) + 1
            cells.append((str(number[metric]), metric, score(value)))
    return known(cells)


# judgments: (system, other, 1, 0 or -1)


def _sides(row, first, second):
    names = []
    for key in (first, second):
        value = row.get(key)
        names.append(clean("" if value is None else value))
        need(names[-1], "no system")
    need(names[0] != names[1], "a system against itself")
    return tuple(names)


def _once(rows):
    need(rows, "nothing")
    texts = [json.dumps(row, sort_keys=True) for _, row in rows]
    need(len(set(texts)) == len(texts), "a row twice")
    return rows


def mt_bench(files):
    ((name, data),) = files.items()
    outcomes = []
    for _, row in _once(lines_or_list(data, name)):
        games = [the(row.get(f"g{k}_winner"), str) for k in (1, 2)]
        need(set(games) <= {"model_1", "model_2", "tie", "error"}, "an unknown winner")
        sides = _sides(row, "model_1", "model_2")
        if "error" not in games:
            same = games[0] == games[1]
            outcomes.append((*sides, {"model_1": 1, "model_2": -1}.get(games[0], 0) * same))
    return outcomes


def arena_hard(files):
    ((name, data),) = files.items()
    outcomes = []
    for _, row in _once(lines_or_list(data, name)):
        games = _listed(row.get("games"))
        need(1 <= len(games) <= 2, "another number of games")
        base = row.get("baseline")
        named = row | {"baseline": "baseline" if base is None or base == "" else base}
        sides = _sides(named, "baseline", "model")
        for k, game in enumerate(games):
            label = the(game, dict).get("score")
            if label is not None:
                need(
                    isinstance(label, str) and re.fullmatch("A(>>?|<<?|=)B|B(>>?|<<?|=)A", label),
                    label,
                )
                first = 0 if "=" in label else 1 if label in ("A>B", "A>>B", "B<A", "B<<A") else -1
                outcomes.append((*(sides[::-1] if k else sides), first))
    return outcomes


def alpaca_eval(files):
    ((name, data),) = files.items()
    outcomes = []
    for _, row in _once(table(data, name)):
        sides, value = _sides(row, "generator_1", "generator_2"), row.get("preference")
        if not blank(value):
            value = _number(value) if isinstance(value, str) else value
            need(isinstance(value, int | float) and not isinstance(value, bool), "no preference")
            need(1 <= value <= 2, "out of range")
            outcomes.append((*sides, (value < 1.5) - (value > 1.5)))
    return outcomes


def one_hot(files):
    ((name, data),) = files.items()
    outcomes = []
    for _, row in table(data, name):
        cells = [score(row.get(f"winner_{k}")) for k in ("model_a", "model_b", "tie")]
        need(sorted(-1 if c is None else c for c in cells) == [0, 0, 1], "not one winner")
        outcomes.append((*_sides(row, "model_a", "model_b"), (1, -1, 0)[cells.index(1)]))
    need(outcomes, "nothing")
    return outcomes
