"""What every comparison of systems returns: a Dataset that shows itself."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pandas as pd
import xarray as xr

from betterthan import checks, names
from betterthan.counts.shapes import Table, with_arrays
from betterthan.files import expanded, write_all
from betterthan.io.problems import in_short
from betterthan.results import provenance, saved, tables
from betterthan.results.result import Result
from betterthan.results.saved import validate, validate_attributes
from betterthan.signed import Signature
from betterthan.text import quoted

if TYPE_CHECKING:
    from betterthan.results.document import Document


class Comparison(Result):
    """All pairwise comparisons of two or more systems; the result of `compare`.

    Print it for the answer in brief, or call `report` for the complete analysis. The page "Reading
    the output" of the documentation explains every variable of `compare`.

    Attributes
    ----------
    data : xarray.Dataset
        All results, with dims (system_a, system_b) unless noted. Differences are A - B: a positive
        one means that A is better, or, of mean scores where lower is better, worse; draws of
        `to_datatree` are always positive where A is better. ``attrs`` record every choice.
        ``comparison["x"]`` is short for ``comparison.data["x"]``.
    alternatives : mapping of str to xarray.Dataset
        Results of other computations of the same numbers, such as the closed form next to a sampled
        model.
    fits : mapping of str to xarray.DataTree
        Posterior draws, by the name of the engine or, from `fits.compare`, of the model. Empty if
        nothing was sampled. Draws above 200 MB are thinned or left out, and ``provenance.notes``
        records it.

    Examples
    --------
    >>> import betterthan as bt
    >>> bt.compare(bt.datasets.contingency_case("a")).statement()[0]
    'A is better than B (probability 0.996).'
    """

    def __init__(
        self,
        data: xr.Dataset | Table,
        alternatives: Mapping[str, xr.Dataset | Table] | None = None,
        fits: Mapping[str, xr.DataTree] | None = None,
    ) -> None:
        self._data, self._fits = data, dict(fits or {})
        self._alternatives = dict(alternatives or {})

    @property
    def data(self) -> xr.Dataset:
        """Return all results as a Dataset, which is built on first use."""
        if isinstance(self._data, Table):
            self._data = self._data.to_dataset()
        return self._data

    @property
    def alternatives(self) -> Mapping[str, xr.Dataset]:
        """Return the results of other computations of the same numbers."""
        for name, table in self._alternatives.items():
            if isinstance(table, Table):
                self._alternatives[name] = table.to_dataset()
        return cast("Mapping[str, xr.Dataset]", self._alternatives)

    @property
    def fits(self) -> Mapping[str, xr.DataTree]:
        """Return the posterior draws of everything that was sampled."""
        return self._fits

    def __getitem__(self, name: str) -> xr.DataArray:
        return self.data[name]

    def __contains__(self, name: str) -> bool:
        return name in self.data

    def __getattr__(self, name: str) -> Any:
        hint = _INSTEAD.get(name, "print it, or use .pairs, .systems, .data or .report()")
        raise AttributeError(f"a comparison has no {name!r}; {hint}")

    @property
    def attrs(self) -> dict[str, Any]:
        """Return the record of all choices as plain attributes."""
        return self.data.attrs

    @property
    def provenance(self) -> Signature:
        """Return the record of all choices as a `Signature`."""
        return Signature.from_attrs(self.data.attrs)

    @property
    def pairs(self) -> pd.DataFrame:
        """Return a table with one row per pair, with the better system first.

        All numbers of a row are from the side of its first system.
        """
        return tables.pairs(self.data)

    @property
    def systems(self) -> pd.DataFrame:
        """Return a table with one row per system, best first: scores, ranks, and verdicts."""
        return tables.systems(self.data)

    @property
    def prob_better(self) -> pd.DataFrame:
        """Return the square of P(row system better than column system).

        The diagonal is 0.5; pairs that were not compared are NaN.
        """
        return tables.square(tables.leading(self.data))

    def by_engine(self) -> xr.Dataset:
        """Return the data with a leading dim ``engine`` for results that were computed twice.

        The first engine is the one to read; use the others for a side-by-side table.
        """
        provenance, data, others = self.provenance, self.data, list(self.alternatives.values())
        first = provenance.engine or ("mcmc" if provenance.method == "mcmc" else "exact")
        # engines answer for each pair alone; the joint answer has no second engine
        prefix = "pairwise_" if "pairwise_verdict" in data else ""
        shared = [v for v in _COMPUTED if f"{prefix}{v}" in data and all(v in t for t in others)]
        arrays = {v: [data[f"{prefix}{v}"], *(t[v] for t in others)] for v in shared}
        both = {f"{prefix}{v}": _side_by_side(values) for v, values in arrays.items()}
        engines = np.array([first, *self.alternatives])
        return with_arrays(data, both | {names.ENGINE: (names.ENGINE, engines)})

    def statement(self) -> list[str]:
        """Return the answer as a list of plain sentences."""
        from betterthan.results.brief import statement

        return statement(self)

    def signature(self) -> str:
        """Return the provenance line; see `betterthan.signature`."""
        return provenance.signature(self)

    def to_datatree(
        self, *, draws: int = names.DRAWS, chains: int = names.CHAINS, rng: Any = None
    ) -> xr.DataTree:
        """Return posterior draws for ArviZ and for the functions of `posterior`.

        The draws are those of the first fit or, if nothing was sampled, exact draws of each pair.

        Parameters
        ----------
        draws, chains, rng
            Settings of exact draws; see `posterior.draws`. They have no effect on the draws of a
            fit.

        Returns
        -------
        xarray.DataTree
            A tree with a group ``posterior`` over (chain, draw, pair).

        Raises
        ------
        ValueError
            If the draws of a fit were neither kept nor saved, or if nothing was sampled and this
            kind of comparison has no exact draws.

        Examples
        --------
        >>> import betterthan as bt
        >>> tree = bt.compare(bt.datasets.contingency_case("a")).to_datatree(rng=1)
        >>> float((tree["posterior"]["difference"] > 0).mean().round(2))
        1.0
        """
        if self.fits:
            return next(iter(self.fits.values()))
        if self.provenance.method in ("mcmc", "both") or self.provenance.chains:
            raise ValueError(saved.why_none(self.provenance))
        if self.provenance.over:
            raise ValueError(
                "an average over data sets has no draws of counts; draw each data set by itself, "
                "posterior.draws(counts)"
            )
        from betterthan.posterior.sampled import draws as exact_draws

        return exact_draws(self, draws=draws, chains=chains, rng=rng)

    def save(self, path: str | Path, *, fits: bool = False) -> None:
        """Save the comparison as a netCDF file that `load` reads back.

        Each further engine has its own group, and ``xarray.open_datatree`` opens the file, too. A
        digest at the end of the file lets `load` detect changes. It is not a cryptographic
        signature: it does not show who wrote the file.

        Parameters
        ----------
        path : str or pathlib.Path
            Name of the file; it must end in ``.nc``.
        fits : bool, default False
            Whether to save the posterior draws, too.

        Raises
        ------
        ValueError
            If the path does not end in ``.nc``, or cannot be written.
        """
        if checks.path(path).suffix != ".nc":
            raise ValueError(f"path is {quoted(str(path))}; give a name that ends in .nc")
        write_all({Path(path): self.to_bytes(fits=fits)})

    def to_bytes(self, *, fits: bool = False) -> bytes:
        """Return the content of the file that `save` writes."""
        groups = {"/": self.data.assign_attrs({_FORMAT_ATTR: FORMAT})}
        groups |= {f"/{name}": table for name, table in self.alternatives.items()}
        groups |= saved.as_groups(self.fits) if checks.flag(fits, "fits") else {}
        return saved.as_bytes(xr.DataTree.from_dict(groups))

    def document(self) -> "Document":
        """Build what is printed."""
        from betterthan.results.brief import brief_page_of

        return brief_page_of(self)


# what names of other packages are called here
_INSTEAD = {
    "summary": "print it, or call .report()",
    "plot": "pass it to a function of betterthan.plot, such as betterthan.plot.differences",
    "to_dataframe": "use .pairs or .systems",
    "p_value": 'use .data["p_value"] or .pairs',
    "verdict": 'use .pairs["verdict"]',
}


def _side_by_side(arrays: list[xr.DataArray]) -> tuple[tuple[Any, ...], np.ndarray]:
    """The same of several engines."""
    dims = arrays[0].dims
    return (names.ENGINE, *dims), np.stack([one.transpose(*dims).values for one in arrays])


_COMPUTED = tables.WITH_ERRORS | {"verdict", "also_ahead", "sign_error"}


def load(path: str | Path) -> Comparison:
    """Load a comparison from a file that `Comparison.save` wrote.

    The file holds a digest, so `load` raises an error if a byte has changed since. A file without a
    digest, such as one that xarray wrote, is read by a child process with limits of time and
    memory; this takes about a second longer. `load` checks dims, types, ranges, and attributes of
    both.

    Parameters
    ----------
    path : str or pathlib.Path
        File that ``Comparison.save`` wrote, or that xarray wrote from its content.

    Returns
    -------
    Comparison
        The saved comparison, with the draws of its fits if these were saved.

    Raises
    ------
    ValueError
        If the file does not exist, is not netCDF, was changed or damaged after it was saved, or
        holds no comparison: a variable or an attribute is missing, a variable has other dims, or a
        value is impossible.

    Examples
    --------
    >>> import tempfile, betterthan as bt
    >>> comparison = bt.compare(bt.datasets.contingency_case("a"))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     comparison.save(f"{folder}/case.nc")
    ...     bt.load(f"{folder}/case.nc").pairs["verdict"].tolist()
    ['better']
    """
    place = expanded(checks.path(path))
    if not os.path.isfile(place):  # False of a name that no file can have
        raise FileNotFoundError(f"no such file: {in_short(str(path))}")
    whole = saved.read(place)
    data = _of_format(whole.to_dataset(), str(path))
    alternatives = {
        str(name): _own(table.to_dataset())
        for name, table in whole.children.items()
        if name != saved.GROUP
    }
    for table in (data, *alternatives.values()):
        validate(table, str(path))
    validate_attributes(data, str(path))
    return Comparison(tables.in_step(data), alternatives, saved.from_groups(whole))


FORMAT = 2  # of saved comparisons: in 1, the verdict of a pair was that of the pair alone
_FORMAT_ATTR = "format"


def _of_format(data: xr.Dataset, path: str) -> xr.Dataset:
    """A table in the format of today, or an error."""
    number = data.attrs.get(_FORMAT_ATTR, FORMAT)
    if number == FORMAT and "among_verdict" not in data:
        data.attrs = {k: v for k, v in data.attrs.items() if k != _FORMAT_ATTR}
        return data
    number = 1 if number == FORMAT else number
    raise ValueError(
        f"{path}: holds a comparison of format {number}, and this version reads format {FORMAT}; "
        "compare the data again"
    )


def _own(table: xr.Dataset) -> xr.Dataset:
    """A group without the coordinates that it has of the root alone."""
    used = {d for v in table.data_vars.values() for d in v.dims}
    return table.drop_vars([c for c in table.coords if not set(table[c].dims) <= used])
