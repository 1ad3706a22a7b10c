"""Checks of runs as wholes: did they finish, with which settings, prompts and scorers."""

from collections.abc import Iterator
from typing import Any

from betterthan.auditing.finding import NOTE, STOP, WARN, Finding
from betterthan.auditing.seen import records_of, runs_of
from betterthan.auditing.told import both, of, short, some
from betterthan.logs.record import DONE, MISSING, OK, Frame, Logs

# settings that change what is measured, most telling first
SETTINGS = (
    *("limit", "samples", "sample_id", "num_fewshot", "fewshot_seed", "epochs", "repeats"),
    *("temperature", "top_p", "top_k", "max_tokens", "max_gen_toks", "reasoning_effort"),
    *("template", "chat_template", "chat_template_sha", "system_message", "system_instruction"),
    *("system_instruction_sha", "fewshot_as_multiturn", "seed", "task_version"),
)
# a version from which the same scorer gives other numbers
BREAKS = (
    ("Inspect", "0.3.245", "model_graded", "calls unparsed verdicts unscored since 0.3.245"),
    ("Inspect", "0.3.259", "model_graded", "calls grades off the list unscored since 0.3.259"),
    ("Inspect", "0.3.221", "pass_at", "no longer counts samples twice since 0.3.221"),
)
# what a reader said, by how much it matters; what is not named here is a note
SAID = {"again": WARN, "invalidated": STOP, "unscored": WARN, "name": WARN, "rows": WARN} | {
    "missing": WARN,
    "unmatched": WARN,
}


def unfinished(logs: Logs) -> Iterator[Finding]:
    """Logs that did not end well, and logs in which nothing has a score."""
    records, runs = records_of(logs), runs_of(logs)
    for k, run in runs[runs["state"] != DONE].iterrows():
        own = records[records["run"] == k]
        nothing = not bool((own["status"] == OK).any())
        own = own.drop_duplicates(["item", "epoch"])
        n = int((own["status"] != MISSING).sum())
        why = f"; first error: {run['why'][:100]}" if run["why"] else ""
        said = (
            f"log not finished: {run['system']} ({run['state']}), {of(n, len(own), 'sample')}{why}"
        )
        level = STOP if nothing else WARN
        about: dict[str, Any] = {"systems": (run["system"],), "task": run["task"]}
        yield Finding("state", said, level, **about, n=n, of=len(own), where=run["files"][0])


def without_scores(logs: Logs) -> Iterator[Finding]:
    """Logs in which nothing has a score."""
    if not (records_of(logs)["status"] == OK).any():
        systems = tuple(dict.fromkeys(runs_of(logs)["system"]))
        said = f"no item has a score in any log of {some(systems)}"
        yield Finding("no score", said, STOP, systems, of=len(records_of(logs)))


def told_by_readers(logs: Logs) -> Iterator[Finding]:
    """What the reader of a log saw."""
    seen: dict[tuple[str, str], dict[str, str]] = {}
    for _, run in runs_of(logs).iterrows():
        for one in run["said"]:
            seen.setdefault(tuple(one), {})[run["system"]] = run["files"][0]
    for (code, message), systems in seen.items():
        where = some(list(systems.values()))
        whom = f" ({some(list(systems))})" if not any(s in message for s in systems) else ""
        level = SAID.get(code, NOTE)
        yield Finding(code, message + whom, level, tuple(systems), n=len(systems), where=where)


def refused_metrics(logs: Logs) -> Iterator[Finding]:
    """Metrics that are no scores of items."""
    seen: dict[tuple[str, str], str] = {}
    for _, run in runs_of(logs).iterrows():
        for metric, why in run["refused"].items():
            seen.setdefault((run["task"], metric), why)
    for (task, metric), why in seen.items():
        yield Finding("refused", why, task=task, metric=metric)


def generations(logs: Logs) -> Iterator[Finding]:
    """Several generations of an item that lm-eval makes one score of."""
    for task, runs in runs_of(logs).groupby("task", sort=False):
        most = max(int(config.get("repeats") or 1) for config in runs["config"])
        if most > 1 and (runs["epochs"] == 1).all():
            said = f"{most} generations of an item, but one score by each filter: they are no runs"
            yield Finding("repeats", said, NOTE, task=str(task), n=most)


def directions(logs: Logs) -> Iterator[Finding]:
    """Metrics of which less is better, as the logs say."""
    lower = {m for told in runs_of(logs)["higher_is_better"] for m, up in told.items() if not up}
    upper = {m for told in runs_of(logs)["higher_is_better"] for m, up in told.items() if up}
    for metric in sorted(lower):
        if metric in upper:
            said = f"lower {metric} is better in some logs and worse in others; name one task"
            yield Finding("direction", said, STOP, metric=metric)
        else:
            said = f"lower {metric} is better, as the logs say"
            yield Finding("direction", said, NOTE, metric=metric)


def settings(logs: Logs) -> Iterator[Finding]:
    """Settings in which the runs of a task differ, those that change numbers by themselves."""
    for task, runs in runs_of(logs).groupby("task", sort=False):
        differ = _differing(runs["config"].tolist())
        ranked = sorted((k for k in differ if _last(k) in SETTINGS), key=_rank)
        systems = tuple(dict.fromkeys(runs["system"]))
        for key in ranked:
            values = list(dict.fromkeys(_setting(x) for x in differ[key]))
            about: dict[str, Any] = {"task": str(task), "n": len(values), "of": len(runs)}
            yield Finding("config", f"{key} {both(values)}", WARN, systems, **about)
        if others := [k for k in differ if k not in ranked and not _names_the_system(k)]:
            said = f"other settings differ: {some(others)}"
            yield Finding("config", said, NOTE, task=str(task), n=len(others), of=len(differ))


def _differing(configs: list[dict[str, Any]]) -> dict[str, list[Any]]:
    """The settings that are not the same in all runs, with their values."""
    keys = dict.fromkeys(key for config in configs for key in config)
    told = {key: [config.get(key) for config in configs] for key in keys}
    return {key: v for key, v in told.items() if len({repr(x) for x in v}) > 1}


def versions(logs: Logs) -> Iterator[Finding]:
    """Versions of the tool in which the runs of a task differ."""
    for (task, tool), runs in runs_of(logs).groupby(["task", "tool"], sort=False):
        known = list(dict.fromkeys(v for v in runs["version"] if v))
        if len(known) > 1:
            said = f"version of {tool} {both(known)}"
            yield Finding("config", said, NOTE, task=str(task), n=len(known), of=len(runs))


def scorers(logs: Logs) -> Iterator[Finding]:
    """Other judges, scorers or options of these, or versions on both sides of a known break."""
    for task, runs in runs_of(logs).groupby("task", sort=False):
        for what in ("judge", "scorer"):
            values = [v for v in dict.fromkeys(runs[what]) if v]
            if len(values) > 1:
                said = f"{what} {both(values)}"
                yield Finding("scorer", said, task=str(task), n=len(values), of=len(runs))
        for tool, version, scorer, what in BREAKS:
            own = runs[(runs["tool"] == tool) & runs["scorer"].str.contains(scorer, regex=False)]
            known = list(dict.fromkeys(v for v in own["version"] if v))
            before = [v for v in known if _version(v) < _version(version)]
            if before and len(before) < len(known):
                said = f"{tool} {both(known)}: {scorer} {what}"
                yield Finding("scorer", said, task=str(task), n=len(known), of=len(runs))


def _version(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(".") if part.isdigit())


def _last(key: str) -> str:
    return key.rpartition(".")[2]


def _rank(key: str) -> int:
    return SETTINGS.index(_last(key))


def _names_the_system(key: str) -> bool:
    """Whether a setting is the model itself, of which another is what is compared."""
    return key.startswith(("model", "agent.")) or _last(key) in ("model", "pretrained", "path")


def _setting(value: Any) -> str:
    return "not given" if value is None else short(value)


def prompts(logs: Logs) -> Iterator[Finding]:
    """Shared items that were asked with other prompts."""
    known = records_of(logs)[
        records_of(logs)["item_hash"].notna() & records_of(logs)["prompt_hash"].notna()
    ]
    for task, records in known.groupby("task", observed=True, sort=False):
        pairs = records.drop_duplicates(["system", "item_hash", "prompt_hash"])
        systems = pairs.groupby("item_hash", sort=False)["system"].nunique()
        shared = pairs[pairs["item_hash"].isin(systems.index[systems > 1])]
        asked = shared.groupby("item_hash", sort=False)["prompt_hash"].nunique()
        n, whole = int((asked > 1).sum()), len(asked)
        if n:
            runs: Frame = runs_of(logs).loc[records["run"].unique()]
            yield _of_prompts(runs, str(task), n, whole)


def _of_prompts(runs: Frame, task: str, n: int, whole: int) -> Finding:
    """Of one model, other prompts are what is compared."""
    said = f"prompts differ on {of(n, whole, 'shared item')}"
    systems = tuple(dict.fromkeys(runs["system"]))
    if set(runs["tool"]) == {"promptfoo"}:  # there a prompt is part of the system
        return Finding(
            "prompt", f"{said}: they are part of the systems", NOTE, systems, task, "", n, whole
        )
    one = runs["base"].nunique(dropna=False) == 1 and runs["base"].notna().all()
    level = STOP if one else WARN
    more = f", and all runs are of {runs['base'].iloc[0]}" if one else ""
    return Finding("prompt", said + more, level, systems, task, "", n, whole)
