"""A curve of few lines for a terminal: one bar for each number of items."""

from typing import Any

_BARS = 10
VERDICTS = {
    "a_better": ["a_better"],
    "b_better": ["b_better"],
    "either": ["a_better", "b_better"],
    "equivalent": ["equivalent"],
    "any": ["a_better", "b_better", "equivalent"],
}


def curve(
    most: int, wanted: dict[str, Any], how: dict[str, Any], width: int, *, colour: bool = False
) -> list[str]:
    """Lines with the number of items, the probability of the verdict, and a bar of it.

    Parameters
    ----------
    most : int
        The largest number of items.
    wanted : dict
        ``of`` and ``target``, as `plan.items_needed` takes them.
    how : dict
        What else `plan.assurance` takes.
    width : int
        Columns of a line.
    colour : bool, default False
        Whether bars that reach the target are green.

    Examples
    --------
    >>> wanted = {"of": "a_better", "target": 0.8}
    >>> curve(20, wanted, {"design": (6, 3, 11)}, 40)[-1]
    '20 items  0.306  #######           |'
    """
    import numpy as np

    import betterthan as bt

    n_items = np.unique(np.rint(np.linspace(most / _BARS, most, _BARS)).astype(int))
    probability = bt.plan.assurance(n_items.tolist(), **how)["probability"]
    prob = probability.sel(verdict=VERDICTS[wanted["of"]]).sum("verdict").values
    return bars(n_items.tolist(), prob.tolist(), float(wanted["target"]), width, colour=colour)


def bars(
    n_items: list[int], prob: list[float], target: float, width: int, *, colour: bool = False
) -> list[str]:
    """One line each, with a mark where the target is.

    Examples
    --------
    >>> for line in bars([50, 100], [0.4, 0.9], 0.8, 34):
    ...     print(line)
     50 items  0.400  ######       |
    100 items  0.900  #############|
    """
    wide = len(str(max(n_items)))
    room = max(width - wide - 15, 10)
    mark = min(round(target * room), room - 1)
    lines = []
    for n, p in zip(n_items, prob, strict=True):
        bar = ("#" * round(p * room)).ljust(mark)
        bar = f"{bar[:mark]}|{bar[mark + 1 :]}".rstrip()
        bar = f"\x1b[32m{bar}\x1b[0m" if colour and p >= target else bar
        lines.append(f"{n:{wide}} items  {p:.3f}  {bar}")
    return lines
