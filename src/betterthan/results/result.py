"""The base of results: one document for the terminal, notebooks and reports."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import xarray as xr

    from betterthan.results.document import Document


class Result(ABC):
    """A result that shows itself; what it shows with is loaded when it does."""

    @abstractmethod
    def document(self) -> Document:
        """Build what is printed."""

    def report(self, *others: Any, **choices: Any) -> str:
        """Write the complete answer on one page; see `betterthan.report`."""
        from betterthan.results.reports import report

        return report(self, *others, **choices)

    def __str__(self) -> str:
        from betterthan.results.text import printed

        return printed(self.document())

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from betterthan.results.markup import as_part

        return as_part(self.document())


@dataclass(frozen=True, repr=False)
class Summary(Result):
    """A Dataset with its answer in words."""

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
