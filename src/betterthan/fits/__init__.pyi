from .adopting import adopt as adopt
from .checking import cross_check as cross_check
from .checking import diagnose as diagnose
from .checking import summary as summary
from .circles import transitivity as transitivity
from .comparing import compare as compare
from .leaving_out import leave_one_dataset_out as leave_one_dataset_out
from .leaving_out import loo as loo
