"""Sample PyMC models, one file each.

pymc and arviz are imported when a model is built.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
