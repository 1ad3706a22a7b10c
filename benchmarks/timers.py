"""What rows are timed by, beside the time of this process."""

import resource

import psutil


def children() -> float:
    """Seconds of processor that ended processes have taken which this one started."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def together() -> float:
    """Seconds of processor of this process and of those that it started and that still run."""
    own = psutil.Process()
    times = [process.cpu_times() for process in (own, *own.children(recursive=True))]
    return sum(used.user + used.system for used in times)
