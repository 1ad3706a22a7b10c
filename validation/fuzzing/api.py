"""Odd arguments of every public function: ``python -m validation.fuzzing.api [--write]``.

Each call has right arguments but for one. It may return, or raise one line that names the argument.
Where a model would be sampled, the arguments were accepted.
"""

import contextlib
import csv
import dis
import inspect
import io
import os
import random
import re
import signal
import sys
import tempfile
import time
import warnings
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import betterthan as bt
from betterthan.models import sampling
from validation.fuzzing import api_arguments
from validation.fuzzing.api_arguments import (
    ALSO,
    CHOICES,
    DATA,
    OWN,
    OWNERS,
    SHARED,
    SIZES,
    SMALL,
    VALUES,
)

SOURCE = str(Path(bt.__file__).parent)
RESULT = Path(__file__).parents[1] / "results" / "fuzz_api.csv"
SECONDS = 5  # of processor time; longer is a hang
LONGEST = 400  # characters of a message

RAW, OVERFLOW, LINES, UNNAMED, HANG = (
    *("raw exception", "OverflowError", "several lines or too long", "argument not named"),
    "hang",
)
WRONG = (RAW, OVERFLOW, LINES, UNNAMED, HANG)
RETURNED, REFUSED = "returned", "one line that names the argument"


@dataclass
class Door:
    """A public function or method, and its parameters with right arguments."""

    name: str
    function: object
    parameters: list
    bases: dict = field(default_factory=dict)

    def arguments(self):
        return {
            k: v() if inspect.isfunction(v) or _is_cached(v) else v for k, v in self.bases.items()
        }


def _is_cached(value):
    return callable(value) and hasattr(value, "cache_info")


def doors():
    """Every function of ``__all__`` of the package and of its subpackages, and the methods."""
    spaces = [n for n in bt.__all__ if hasattr(getattr(bt, n), "__path__")]
    for space in ("", *spaces):
        room = getattr(bt, space) if space else bt
        for name in room.__all__:
            thing = getattr(room, name)
            full = f"{space}.{name}".strip(".")
            if inspect.ismodule(thing) and space == "models":
                steps = ("simulate", "build", "fit", "closed_form", "by_cluster")
                for step in steps:
                    if hasattr(thing, step):
                        yield _door(f"{full}.{step}", getattr(thing, step))
            elif callable(thing):
                yield _door(full, thing)
    for owner, make in OWNERS.items():
        thing = make()
        for name in dir(thing):
            if not name.startswith("_") and inspect.ismethod(getattr(thing, name)):
                yield _door(f"{owner}.{name}", getattr(thing, name))


def _door(name, function):
    own = dict(OWN.get(name, {}))
    last = name.rpartition(".")[2]
    if name.startswith("models.") and name.count(".") == 2:
        model = name.split(".")[1]
        own = (SIZES[model] if last == "simulate" else DATA.get(model, {})) | own
        if last == "fit":
            own |= {"predictive": False, "sampling": bt.models.Sampling(**SMALL)}
    signature = inspect.signature(function).parameters.values()
    parameters, bases = [], {}
    for p in signature:
        if p.kind is p.VAR_KEYWORD:
            parameters += [k for k in CHOICES.get(last, CHOICES.get(p.name, ())) if k not in bases]
            continue
        parameters.append(p.name)
        if p.name in own:
            bases[p.name] = own[p.name]
        elif p.name in SHARED and (p.default is p.empty or p.name in _CHEAP):
            bases[p.name] = SHARED[p.name]
        elif p.default is p.empty and p.kind is not p.VAR_POSITIONAL:
            raise LookupError(f"{name} has no right argument for {p.name}")
    return Door(name, function, parameters, bases)


_CHEAP = {"rng", "draws", "shuffles", "resamples", "simulations"}


# one call


class HangError(BaseException):
    pass


class AcceptedError(BaseException):
    """Every argument was accepted, and the sampler would run."""


def _hang(*_):
    raise HangError


def _accept(*_, **__):
    raise AcceptedError


@dataclass
class Outcome:
    """What became of one call."""

    function: str
    parameter: str
    value: str
    verdict: str
    message: str = ""
    seconds: float = 0.0

    @property
    def wrong(self):
        return self.verdict in WRONG


def call(door, parameter=None, value=None):
    """Call with one argument in place of the right one, or with right arguments alone."""
    arguments = door.arguments()
    if parameter is not None:
        arguments[parameter] = value
    if parameter == "random_seed":
        arguments.pop("rng", None)
    if parameter in SMALL and "sampling" in arguments:
        arguments.pop("sampling")
    positional = [
        arguments.pop(p.name)
        for p in inspect.signature(door.function).parameters.values()
        if p.kind in (p.VAR_POSITIONAL, p.POSITIONAL_ONLY) and p.name in arguments
    ]
    return door.function(*positional, **arguments)


def checked(door, parameter=None, value="a right argument"):
    """One call, and what became of it."""
    made = Outcome(door.name, parameter or "", value, RETURNED)
    odd = VALUES[value]() if parameter else None
    start = time.process_time()
    signal.signal(signal.SIGPROF, _hang)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            call(door, parameter, odd)
    except AcceptedError:
        pass
    except HangError:
        made.verdict = HANG
    except BaseException as error:
        made.verdict, made.message = judged_error(error, parameter)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    made.seconds = time.process_time() - start
    return made


def judged_error(error, parameter):
    """The verdict on an exception, and its message."""
    trace = error.__traceback__
    while trace.tb_next:
        trace = trace.tb_next
    where = trace.tb_frame.f_code.co_filename
    text = str(error)
    said = f"{type(error).__name__} at {Path(where).name}:{trace.tb_lineno}: {text[:300]!r}"
    if isinstance(error, OverflowError):
        return OVERFLOW, said
    allowed = (ValueError, TypeError, FileNotFoundError, ImportError)
    if type(error) not in allowed or not (where.startswith(SOURCE) and _raised(trace)):
        return RAW, said
    if "\n" in text or not text.isprintable() or len(text) > LONGEST:
        return LINES, said
    if re.search(r"array\(|<xarray|object at 0x|<function", text):
        return LINES, said
    if parameter and not names(text, parameter):
        return UNNAMED, said
    return REFUSED, said


def _raised(trace):
    """Whether a ``raise`` of ours is where the trace ends, and no operation of Python."""
    return trace.tb_frame.f_code.co_code[trace.tb_lasti] in _RAISE


_RAISE = {dis.opmap["RAISE_VARARGS"], dis.opmap["RERAISE"]}


def names(text, parameter):
    """Whether a message names the argument, in one or several words."""
    words = {parameter, parameter.rstrip("s"), f"{parameter}s", parameter.replace("_", " ")}
    also = ALSO.get(parameter)
    pattern = "|".join([*map(re.escape, sorted(words)), *([also] if also else [])])
    return re.search(rf"(?<![A-Za-z])({pattern})(?![A-Za-z])", text, re.IGNORECASE) is not None


@contextlib.contextmanager
def without_sampling():
    """Nothing is compiled and drawn, and files go to a folder that is removed."""
    import matplotlib as mpl

    mpl.use("agg")
    kept, here = (sampling.sample, sampling.by_pymc), Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        sampling.sample = sampling.by_pymc = _accept
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(here)
            sampling.sample, sampling.by_pymc = kept
            for maker in (api_arguments.folder_of_logs, api_arguments.logs, api_arguments.saved):
                maker.cache_clear()


def walk(sample=None, seed=0, only=()):
    """Outcomes of all calls, or of `sample` values of each parameter, drawn by a seed."""
    rng = random.Random(seed)
    with without_sampling():
        for door in doors():
            for parameter in door.parameters:
                values = list(VALUES) if sample is None else rng.sample(list(VALUES), sample)
                for value in values:
                    if not only or door.name.startswith(only):
                        yield checked(door, parameter, value)
                        _close()


def _close():
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


def right_arguments():
    """Outcomes of the calls with right arguments, which must return."""
    with without_sampling():
        for door in doors():
            yield checked(door)


def counted(outcomes):
    """Functions, parameters, values and calls, and how the calls ended."""
    tally = Counter(one.verdict for one in outcomes)
    return {
        "functions": len({one.function for one in outcomes}),
        "parameters": len({(one.function, one.parameter) for one in outcomes}),
        "values": len({one.value for one in outcomes}),
        "calls": len(outcomes),
    } | {verdict: tally[verdict] for verdict in (RETURNED, REFUSED, *WRONG)}


def main(*arguments):
    only = tuple(a for a in arguments if not a.startswith("-"))
    refused = [one for one in right_arguments() if one.verdict != RETURNED]
    outcomes, start = [], time.process_time()
    for one in walk(only=only):
        outcomes.append(one)
        if one.wrong:
            print(one.function, one.parameter, one.value, one.verdict, one.message, sep=" | ")
    for one in refused:
        print(f"right arguments of {one.function} are refused: {one.message}")
    print(f"{time.process_time() - start:.0f} s of CPU", file=sys.stderr)
    rows = counted(outcomes)
    for name, number in rows.items():
        print(f"{number:7d} {name}", file=sys.stderr)
    if "--write" in arguments and not only:
        with RESULT.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerows([("what", "number"), *rows.items()])
    return bool(refused) or any(one.wrong for one in outcomes)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
