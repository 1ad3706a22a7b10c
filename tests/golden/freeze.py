"""Freeze the answers: `make golden`, or for some cases `make golden CASES="two_systems folds"`.

A new case is written. A case that differs from what is frozen is written only where `allowed.toml`
lists every difference with its reason.
"""

import gzip
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from golden.cases import CASES, WITH_TEXTS
from golden.differences import Difference, differences, not_allowed, read_allowed
from golden.written import written

FROZEN = Path(__file__).parent / "frozen"
ALLOWED = Path(__file__).parent / "allowed.toml"
_LARGE = 50_000  # bytes above which a page is packed


def read(case: str) -> dict[str, str]:
    """The frozen files of a case, by name; none of a new case."""
    files: dict[str, str] = {}
    for path in (FROZEN / case).glob("*"):
        packed, data = path.suffix == ".gz", path.read_bytes()
        files[path.stem if packed else path.name] = (
            gzip.decompress(data) if packed else data
        ).decode()
    return files


def write(case: str, files: Mapping[str, str]) -> None:
    """Freeze the files of a case."""
    folder = FROZEN / case
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name, text in files.items():
        data = text.encode()
        if len(data) > _LARGE and name.endswith(".html"):
            (folder / f"{name}.gz").write_bytes(gzip.compress(data, mtime=0))
        else:
            (folder / name).write_bytes(data)


def today(case: str) -> dict[str, str]:
    """The files of a case as they are now."""
    return written(CASES[case], case in WITH_TEXTS)


def frozen_anew(case: str) -> list[Difference]:
    """Freeze a case; return the differences that keep it from being frozen."""
    was, now = read(case), today(case)
    refused = not_allowed(differences(case, was, now), read_allowed(ALLOWED)) if was else []
    if not refused:
        write(case, now)
    return refused


def main(cases: list[str]) -> int:
    """Freeze the cases that are named, or all; remove those that are no cases any more."""
    refused = [line for case in cases or CASES for line in frozen_anew(case)]
    for folder in FROZEN.iterdir():
        if folder.name not in CASES:
            shutil.rmtree(folder)
    for line in refused:
        print(line)
    if refused:
        print(f"not frozen, for {ALLOWED.name} does not list these differences with a reason")
    return int(bool(refused))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
