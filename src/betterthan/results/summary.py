"""An answer that shows itself: sentences, then tables."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import xarray as xr

from betterthan.results.document import Document
from betterthan.results.markup import as_part
from betterthan.results.text import printed


@dataclass(frozen=True, repr=False)
class Summary(ABC):
    """A Dataset with its answer in words; a subclass has its `document`."""

    data: xr.Dataset
    lines: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> xr.DataArray:
        return self.data[name]

    def __contains__(self, name: str) -> bool:
        return name in self.data

    @property
    def attrs(self) -> dict[str, Any]:
        """Return the record of all choices as plain attributes."""
        return self.data.attrs

    @abstractmethod
    def document(self) -> Document:
        """Build what is printed."""

    def report(self, *others: Any, **choices: Any) -> str:
        """Write the complete answer on one page; see `betterthan.report`."""
        from betterthan.results.reports import report

        return report(self, *others, **choices)

    def __str__(self) -> str:
        return printed(self.document())

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return as_part(self.document())
