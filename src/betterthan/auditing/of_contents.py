"""Check ids against contents: one id for two questions, two ids for one."""

from collections.abc import Iterator

from betterthan.auditing.finding import MAX_LISTED, NOTE, Finding
from betterthan.auditing.seen import record_table, run_table
from betterthan.auditing.told import are, both, fraction, some
from betterthan.logs.joining import conflicting_contents
from betterthan.logs.record import Frame, Logs

_CLUSTER = "; cluster='content' takes them as one cluster"


def other_contents(logs: Logs) -> Iterator[Finding]:
    """Find ids with different contents; positions in a list are not checked."""
    runs = run_table(logs).index[run_table(logs)["own_ids"]]
    for task, records in _by_task(record_table(logs)[record_table(logs)["run"].isin(runs)]):
        contents = conflicting_contents(records)
        if not contents:
            continue
        total = records["item"].nunique()
        cases = [f"{item} is {both(list(texts.values())[:2])}" for item, texts in contents.items()]
        message = (
            f"{fraction(len(contents), total, 'id')} {are(len(contents), 'stands', 'stand')} for "
            "different "
        )
        message += f"content: {'; '.join(cases[:2])}; join='content' joins by what was asked"
        yield Finding(
            "content",
            message,
            task=task,
            n=len(contents),
            of=total,
            where=some([*contents], MAX_LISTED),
        )


def renamed(logs: Logs) -> Iterator[Finding]:
    """Find contents that have other ids in other systems."""
    runs = run_table(logs).index[run_table(logs)["own_ids"]]
    for task, records in _by_task(record_table(logs)[record_table(logs)["run"].isin(runs)]):
        pairs = records.drop_duplicates(["item", "item_hash"])
        several = pairs.loc[pairs.duplicated("item_hash"), "item_hash"]
        ids = _ids_by_content(records[records["item_hash"].isin(several)])
        other = [
            ids_by_system for ids_by_system in ids.values() if len(set(ids_by_system.values())) > 1
        ]
        if not other:
            continue
        n, total = len(other), int(pairs["item_hash"].nunique())
        case = both([f"{some(sorted(v))} in {k}" for k, v in list(other[0].items())[:2]])
        message = (
            f"{fraction(n, total, 'item')} {are(n, 'has', 'have')} other ids in other systems: "
            f"{case}"
        )
        yield Finding("renamed", message, task=task, n=n, of=total)


def _ids_by_content(pairs: Frame) -> dict[bytes, dict[str, frozenset[str]]]:
    """Map each content to the ids that each system has for it."""
    ids_by_content: dict[bytes, dict[str, set[str]]] = {}
    columns = (pairs[k].tolist() for k in ("item_hash", "system", "item"))
    for digest, system, item in zip(*columns, strict=True):
        ids_by_content.setdefault(digest, {}).setdefault(str(system), set()).add(str(item))
    return {
        digest: {system: frozenset(ids) for system, ids in ids_by_system.items()}
        for digest, ids_by_system in ids_by_content.items()
    }


def doubled(logs: Logs) -> Iterator[Finding]:
    """Find items of one system that have the same content."""
    for task, records in _by_task(record_table(logs)):
        pairs = records.drop_duplicates(["system", "item", "item_hash"])
        twice = pairs[pairs.duplicated(["system", "item_hash"], keep=False)]
        if twice.empty:
            continue
        system = str(twice["system"].iloc[0])
        repeated = twice[twice["system"] == system]
        groups = [
            sorted(g.astype(str)) for _, g in repeated.groupby("item_hash", sort=False)["item"]
        ]
        items = pairs[pairs["system"] == system]
        distinct = int(items["item_hash"].nunique())
        systems = tuple(dict.fromkeys(twice["system"].astype(str)))
        message = f"{_same_content_text(groups)}; {distinct} distinct of {len(items)} items"
        message += _CLUSTER if records["cluster"].isna().all() else ""
        where = some(["=".join(group) for group in groups])
        n = len(items) - distinct
        yield Finding("double", message, "", systems, task, "", n, len(items), where)


def _same_content_text(groups: list[list[str]]) -> str:
    return "; ".join(f"items {both(group)} are one question" for group in groups[:2])


def places(logs: Logs) -> Iterator[Finding]:
    """Find logs whose ids are positions in a list; their items are joined by content."""
    runs = run_table(logs)[~run_table(logs)["own_ids"]]
    if len(runs):
        hashed = (
            record_table(logs)[record_table(logs)["run"].isin(runs.index)]["item_hash"]
            .notna()
            .all()
        )
        by = "joined by what was asked" if hashed else "nothing in the logs says what was asked"
        systems = tuple(dict.fromkeys(runs["system"]))
        message = f"ids of {runs['tool'].iloc[0]} are places or drawn at random; items are {by}"
        message = message if hashed else message.replace("items are nothing", "nothing")
        yield Finding("ids", message, NOTE, systems, n=len(runs), of=len(run_table(logs)))


def _by_task(records: Frame) -> Iterator[tuple[str, Frame]]:
    """Group the records that have a content hash by task."""
    hashed = records[records["item_hash"].notna()]
    for task, group in hashed.groupby("task", observed=True, sort=False):
        yield str(task), group
