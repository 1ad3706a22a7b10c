"""Repeated runs: will a system succeed every time, and which noise is due to the runs?"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
