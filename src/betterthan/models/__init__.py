"""PyMC models, one file each; pymc and arviz are imported when a model is built."""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach(
    __name__,
    submodules=[
        "beta_binomial",
        "clustered",
        "davidson",
        "dirichlet_multinomial",
        "graded",
        "hierarchical",
        "independent_betas",
        "item_response",
        "mallows",
        "performance_function",
        "subject_slopes",
    ],
)
