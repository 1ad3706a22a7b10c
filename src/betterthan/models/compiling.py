"""One compile a model: the next fit of the same graph takes new data, of whatever length.

Compiling takes seconds, sampling often a fraction of one. Two models are the same where their log
density and all that is kept of a draw are the same computation, up to the values of what `held` and
``pm.Data`` hold. That is looked at node by node: nothing is taken for the same that is not.
"""

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pymc as pm

_CACHE: "deque[Graph]" = deque(maxlen=8)


def held(name: str, values: Any) -> Any:
    """What is known of the data, as a variable whose value and length may change after compiling.

    Unlike ``pm.Data`` it is not stored with the draws.
    """
    from pytensor.compile.sharedvalue import shared

    values = np.asarray(values)
    return shared(values, name=name, shape=(None,) * values.ndim)


def compiled(model: "pm.Model") -> Any:
    """The model, ready to be sampled: an earlier one with the data of this one where they differ in
    data alone, compiled anew where not.
    """
    graph = Graph.from_model(model)
    for earlier in _CACHE:
        if earlier.same_as(graph):
            return earlier.with_data(graph)
    _CACHE.append(graph)
    return graph.compiled()


def is_compiled(model: "pm.Model") -> bool:
    """Whether the model needs no compilation."""
    graph = Graph.from_model(model)
    return any(earlier.same_as(graph) for earlier in _CACHE)


@dataclass(eq=False)
class Graph:
    """The graph of a model, and the data that may change."""

    model: Any
    outputs: list[Any]  # log density, and all that is kept of a draw
    parameters: dict[str, Any]
    data: dict[str, Any]
    shapes: dict[str, tuple[int, ...] | None]  # of what is kept; None where no dims are named
    _compiled: Any = None

    @classmethod
    def from_model(cls, model: "pm.Model") -> "Graph":
        """The graph of a model; building its log density takes a tenth of a second."""
        from pytensor.compile.sharedvalue import SharedVariable
        from pytensor.graph.traversal import graph_inputs

        outputs: list[Any] = [model.logp(), *model.unobserved_value_vars]
        inputs = list(graph_inputs(outputs))
        return cls(
            model=model,
            outputs=outputs,
            parameters={str(v.name): v for v in model.value_vars},
            data={str(v.name): v for v in inputs if isinstance(v, SharedVariable)},
            shapes={str(v.name): _shape(model, v) for v in model.unobserved_RVs},
        )

    def same_as(self, other: "Graph") -> bool:
        """Whether the two differ in data alone; not where a shape is unknown."""
        from pytensor.graph.basic import equal_computations

        named = (self.shapes, list(self.parameters), self.data.keys())
        if named != (other.shapes, list(other.parameters), other.data.keys()):
            return False
        if None in self.shapes.values():
            return False
        mine, others = (
            [*graph.parameters.values(), *(graph.data[name] for name in self.data)]
            for graph in (self, other)
        )
        return equal_computations(self.outputs, other.outputs, in_xs=mine, in_ys=others)

    def compiled(self) -> Any:
        """Compiled once."""
        import nutpie

        if self._compiled is None:
            self._compiled = nutpie.compile_pymc_model(self.model)
        return self._compiled

    def with_data(self, other: "Graph") -> Any:
        """The compiled graph with the data of another, from which starting points follow too."""
        values = {name: variable.get_value() for name, variable in other.data.items()}
        for name, value in values.items():
            self.data[name].set_value(value)
        compiled = self.compiled()
        used = {
            variable.name for variable in compiled.shared_var_keys
        }  # not lengths of what is kept
        return compiled.with_data(**{k: v for k, v in values.items() if k in used})


def _shape(model: "pm.Model", variable: Any) -> tuple[int, ...] | None:
    if variable.ndim == 0:
        return ()
    dims = model.named_vars_to_dims.get(variable.name)
    if dims is None or None in dims:
        return None
    lengths: list[Any] = [model.dim_lengths[str(d)] for d in dims]
    return tuple(int(length.eval(mode="FAST_COMPILE")) for length in lengths)
