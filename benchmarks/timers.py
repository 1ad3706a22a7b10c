"""What rows are timed by, beside the time of this process."""

import resource


def children() -> float:
    """Seconds of processor that ended processes have taken which this one started."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
