from .comparing import compare as compare
from .comparing import compare_folds as compare_folds
from .comparing import posterior as posterior
from .comparing import sign as sign
from .comparing import signed_rank as signed_rank
from .resampling import bootstrap as bootstrap
from .resampling import bootstrap_draws as bootstrap_draws
