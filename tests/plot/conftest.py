import pytest
from matplotlib.layout_engine import ConstrainedLayoutEngine


@pytest.fixture
def no_layout():
    """Figures whose parts are not placed, which takes half of the time: for files of tests that
    look at what is drawn. Where things are is looked at in test_same_answer and test_figures.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ConstrainedLayoutEngine, "execute", lambda self, figure: None)
        yield patch


@pytest.fixture
def layout(no_layout):
    """The layout again, for a test of such a file that looks at places."""
    no_layout.undo()
