"""How often decisions are right: ``python -m validation.calibrate``.

Simulates truth that is not the prior, cell by cell, and writes into ``validation/results/`` how
often verdicts, intervals, best sets and stated errors were right, next to what they promise. A
finished cell is kept for as long as it computes the same numbers: a run that was stopped goes on
where it was, and after a change only what changed is run anew. (Whether models sample their own
posterior is another question: `validation.calibration`.)
"""

import argparse
import sys
import time
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from betterthan.blocks.scheduling import scheduled, shared_map
from betterthan.progress import in_words
from validation.decisions import stored
from validation.decisions.cells import Cell, Map, run, stale
from validation.decisions.roster import CELLS


def calibrate(cells: Iterable[Cell], folder: Path, *, map: Map = shared_map) -> int:
    """Run the cells that are not kept, or stale; each is written as soon as it is finished.

    Parameters
    ----------
    cells : iterable of Cell
    folder : pathlib.Path
    map : callable
        Shares out the sets of a cell; the numbers stay the same. Default: the workers of a dask
        cluster where a client is open, else one by one here.

    Returns
    -------
    int
        How many cells were run.
    """
    every, number = list(cells), 0
    old, begun = list(stale(every, stored.read(folder))), time.monotonic()
    for cell, why in old:
        start = time.process_time()
        record = run(cell, map=map)
        kept = {k: v for k, v in stored.read(folder).items() if k.startswith(f"{cell.family}/")}
        stored.write(folder, cell.family, _in_order(kept | {cell.name: record}, every))
        number += 1
        told = f"{cell.name}: {why}; {time.process_time() - start:.1f} s of CPU"
        if left := len(old) - number:
            rest = in_words((time.monotonic() - begun) / number * left)
            told += f"; {left} more, about {rest}"
        print(told, flush=True)
    return number


def main(arguments: list[str] | None = None) -> int:
    """Command line: bring all cells up to date, or some."""
    chosen = _parser().parse_args(arguments)
    cells = [cell for cell in CELLS if cell.name.startswith(chosen.only)]
    if not cells:
        print(f"no cell begins with {chosen.only!r}; see --list", file=sys.stderr)
        return 2
    if chosen.list:
        print(*(f"{cell.name}: {cell.sets} sets" for cell in cells), sep="\n")
        return 0
    try:
        with scheduled(chosen.scheduler):
            number = _calibrated(cells, chosen)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    print(f"{number} of {len(cells)} cells run; the others are up to date")
    return 0


def _calibrated(cells: list[Cell], chosen: argparse.Namespace) -> int:
    if chosen.workers == 1:
        return calibrate(cells, chosen.folder)
    with ProcessPoolExecutor(chosen.workers) as pool:
        return calibrate(cells, chosen.folder, map=pool.map)


def _in_order(records: stored.Records, more: list[Cell]) -> stored.Records:
    """In the order of the roster, without cells that are no more."""
    order = dict.fromkeys(cell.name for cell in (*CELLS, *more))
    return {name: records[name] for name in order if name in records}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m validation.calibrate", description=__doc__)
    parser.add_argument("only", nargs="?", default="", help="a family, or the begin of a name")
    parser.add_argument("--list", action="store_true", help="the cells and nothing else")
    shared = parser.add_mutually_exclusive_group()
    shared.add_argument("--workers", type=int, default=1, help="processes of this machine")
    shared.add_argument("--scheduler", help="address of a dask scheduler whose workers play sets")
    parser.add_argument("--folder", type=Path, default=stored.FOLDER)
    return parser


if __name__ == "__main__":
    sys.exit(main())
