from .comparing import compare as compare
from .comparing import posterior as posterior
from .folds import compare_folds as compare_folds
from .folds import sign as sign
from .folds import signed_rank as signed_rank
from .resampling import bootstrap as bootstrap
from .resampling import bootstrap_draws as bootstrap_draws
