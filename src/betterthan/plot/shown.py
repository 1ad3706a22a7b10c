"""A figure that a notebook shows by itself, with no magic before it."""

from io import BytesIO

from matplotlib.figure import Figure


class Shown(Figure):
    """A figure of which pyplot knows nothing, so that nothing is left to close."""

    def _repr_png_(self) -> bytes:
        """What a notebook draws where no backend has registered how."""
        written = BytesIO()
        self.savefig(written, format="png", bbox_inches="tight", metadata={"Software": None})
        return written.getvalue()
