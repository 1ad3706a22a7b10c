"""Draw the graph of each model, ``models/NAME/graph.svg``, from the code of its card: make graphs.

It needs the program ``dot`` of Graphviz. Nothing else in the project does.
"""

import re
import sys
from pathlib import Path

import pymc as pm
from pytensor.graph.traversal import ancestors

HERE = Path(__file__).resolve().parents[1] / "models"
CODE = re.compile(r"^```python\n(.*?)^```", re.S | re.M)


def built(card: Path) -> pm.Model:
    """The model that the first code block of a card builds."""
    block = CODE.search(card.read_text("utf-8"))
    assert block, f"{card} has no code"
    head, found, rest = block[1].partition("\nmodel = ")
    assert found, f"the code of {card} builds no model"
    namespace: dict[str, pm.Model] = {}
    exec(f"{head}\nmodel = {rest.splitlines()[0]}", namespace)
    return namespace["model"]


def recorded(model: pm.Model) -> set[str]:
    """Data that are kept with the draws alone: what is computed does not depend on them."""
    seen = [model.rvs_to_values[v] for v in model.observed_RVs]
    used = set(ancestors([*model.basic_RVs, *model.deterministics, *model.potentials, *seen]))
    return {str(v.name) for v in model.data_vars if v not in used}


def svg(model: pm.Model) -> str:
    """The graph without data that are recorded alone, and without what differs between versions of
    dot.
    """
    for label in recorded(model):
        model.named_vars.pop(label)
    graph = pm.model_to_graphviz(model)
    for attributes in (graph.graph_attr, graph.node_attr):
        attributes.update(fontname="Helvetica,Arial,sans-serif")
    drawn = graph.pipe(format="svg").decode()
    return re.sub(r"<!--.*?-->\n?", "", drawn, flags=re.S)


def main() -> None:
    """Draw all, or those named."""
    for name in sys.argv[1:] or sorted(p.parent.name for p in HERE.glob("*/card.md")):
        (HERE / name / "graph.svg").write_text(svg(built(HERE / name / "card.md")), "utf-8")
        print(name)


if __name__ == "__main__":
    main()
