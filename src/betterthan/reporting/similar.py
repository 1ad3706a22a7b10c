"""The section on systems that cannot be told apart."""

from typing import Any

import xarray as xr

from betterthan import names
from betterthan.reporting.of_groups import marks_content
from betterthan.reporting.tables import Table
from betterthan.reporting.tests_beside import tests_of
from betterthan.significance.similarity import groups


def groups_section(main: xr.Dataset) -> tuple[Table | None, list[str]]:
    """Table and notes of the groups by the last of the tests; `main` holds its systems from best to
    worst.
    """
    if not tests_of(main):
        return None, []
    try:
        together = groups(tested(main), correction=str(main.attrs["correction"]))
    except ValueError as error:  # more groups than anybody reads
        return None, [str(error)]
    return marks_content(together), [str(together.attrs["note"])]


def tested(main: xr.Dataset) -> xr.Dataset:
    """The last test of a comparison, as `significance.groups` takes it, without scores: the order
    is that of the report.
    """
    test = tests_of(main)[-1]
    attrs: dict[str, Any] = {"alternative": "two-sided", "test": test, "sampled": 0}
    table = xr.Dataset({"p_value": main["p_value"].sel({names.TEST: test}, drop=True)})
    if test == "randomization" and "exceedances" in main:
        table["exceedances"] = main["exceedances"]
        attrs |= {"sampled": 1, "shuffles": main.attrs["shuffles"]}
    return table.assign_attrs(attrs)
