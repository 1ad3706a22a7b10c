"""What every plan returns: a Dataset that shows itself."""

from dataclasses import dataclass
from typing import Any

import pandas as pd
import xarray as xr

from betterthan.plan import shown
from betterthan.results.markup import as_part
from betterthan.results.text import printed


@dataclass(frozen=True, repr=False)
class Plan:
    """A plan: print it for the answer in words and in numbers.

    Attributes
    ----------
    data : xarray.Dataset
        Every number, labelled. ``attrs`` say how it was made; ``plan["x"]`` is ``plan.data["x"]``.
    lines : tuple of str
        The answer in plain sentences.

    Examples
    --------
    >>> import betterthan as bt
    >>> found = bt.plan.foresee((12, 6, 32), until=200)
    >>> print(found.lines[0])
    Undecided today (P(A better) 0.916, 50 items).
    """

    data: xr.Dataset
    lines: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> xr.DataArray:
        return self.data[name]

    def __contains__(self, name: str) -> bool:
        return name in self.data

    @property
    def attrs(self) -> dict[str, Any]:
        """How it was made."""
        return self.data.attrs

    @property
    def table(self) -> pd.DataFrame:
        """One row for each pair, and for each number of items or look."""
        return shown.table(self.data)

    def signature(self) -> str:
        """One line that says how it was made."""
        return shown.signature(self.data.attrs)

    def __str__(self) -> str:
        return printed(shown.document(self))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return as_part(shown.document(self))
