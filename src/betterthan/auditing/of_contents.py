"""Checks of ids against what was asked: one id for two questions, two ids for one."""

from collections.abc import Iterator

from betterthan.auditing.finding import NOTE, SHOWN, Finding
from betterthan.auditing.seen import records_of, runs_of
from betterthan.auditing.told import are, both, of, some
from betterthan.logs.joining import contents_of
from betterthan.logs.record import Frame, Logs

_CLUSTER = "; cluster='content' takes them as one cluster"


def other_contents(logs: Logs) -> Iterator[Finding]:
    """Ids that stand for different content; ids that are places in a list are not looked at."""
    own = runs_of(logs).index[runs_of(logs)["own_ids"]]
    for task, records in _by_task(records_of(logs)[records_of(logs)["run"].isin(own)]):
        found = contents_of(records)
        if not found:
            continue
        whole = records["item"].nunique()
        cases = [f"{item} is {both(list(texts.values())[:2])}" for item, texts in found.items()]
        said = f"{of(len(found), whole, 'id')} {are(len(found), 'stands', 'stand')} for different "
        said += f"content: {'; '.join(cases[:2])}; join='content' joins by what was asked"
        yield Finding(
            "content", said, task=task, n=len(found), of=whole, where=some([*found], SHOWN)
        )


def renamed(logs: Logs) -> Iterator[Finding]:
    """Contents that have other ids in other systems."""
    own = runs_of(logs).index[runs_of(logs)["own_ids"]]
    for task, records in _by_task(records_of(logs)[records_of(logs)["run"].isin(own)]):
        known = records.drop_duplicates(["item", "item_hash"])
        several = known.loc[known.duplicated("item_hash"), "item_hash"]
        ids = _ids_of(records[records["item_hash"].isin(several)])
        other = [whose for whose in ids.values() if len(set(whose.values())) > 1]
        if not other:
            continue
        n, whole = len(other), int(known["item_hash"].nunique())
        case = both([f"{some(sorted(v))} in {k}" for k, v in list(other[0].items())[:2]])
        said = f"{of(n, whole, 'item')} {are(n, 'has', 'have')} other ids in other systems: {case}"
        yield Finding("renamed", said, task=task, n=n, of=whole)


def _ids_of(pairs: Frame) -> dict[bytes, dict[str, frozenset[str]]]:
    """Of each content the ids that each system has for it."""
    found: dict[bytes, dict[str, set[str]]] = {}
    columns = (pairs[k].tolist() for k in ("item_hash", "system", "item"))
    for digest, system, item in zip(*columns, strict=True):
        found.setdefault(digest, {}).setdefault(str(system), set()).add(str(item))
    return {
        digest: {system: frozenset(ids) for system, ids in of_system.items()}
        for digest, of_system in found.items()
    }


def doubled(logs: Logs) -> Iterator[Finding]:
    """Items of one system that are one question."""
    for task, records in _by_task(records_of(logs)):
        pairs = records.drop_duplicates(["system", "item", "item_hash"])
        twice = pairs[pairs.duplicated(["system", "item_hash"], keep=False)]
        if twice.empty:
            continue
        system = str(twice["system"].iloc[0])
        own = twice[twice["system"] == system]
        groups = [sorted(g.astype(str)) for _, g in own.groupby("item_hash", sort=False)["item"]]
        whole = pairs[pairs["system"] == system]
        distinct = int(whole["item_hash"].nunique())
        systems = tuple(dict.fromkeys(twice["system"].astype(str)))
        said = f"{_one_question(groups)}; {distinct} distinct of {len(whole)} items"
        said += _CLUSTER if records["cluster"].isna().all() else ""
        where = some(["=".join(group) for group in groups])
        n = len(whole) - distinct
        yield Finding("double", said, "", systems, task, "", n, len(whole), where)


def _one_question(groups: list[list[str]]) -> str:
    return "; ".join(f"items {both(group)} are one question" for group in groups[:2])


def places(logs: Logs) -> Iterator[Finding]:
    """Logs whose ids are places in a list: items are joined by what was asked."""
    own = runs_of(logs)[~runs_of(logs)["own_ids"]]
    if len(own):
        hashed = (
            records_of(logs)[records_of(logs)["run"].isin(own.index)]["item_hash"].notna().all()
        )
        by = "joined by what was asked" if hashed else "nothing in the logs says what was asked"
        systems = tuple(dict.fromkeys(own["system"]))
        said = f"ids of {own['tool'].iloc[0]} are places or drawn at random; items are {by}"
        said = said if hashed else said.replace("items are nothing", "nothing")
        yield Finding("ids", said, NOTE, systems, n=len(own), of=len(runs_of(logs)))


def _by_task(records: Frame) -> Iterator[tuple[str, Frame]]:
    """The records of each task of which it is known what was asked."""
    known = records[records["item_hash"].notna()]
    for task, group in known.groupby("task", observed=True, sort=False):
        yield str(task), group
