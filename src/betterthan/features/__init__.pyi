from .comparing import compare as compare
from .comparing import compare_learners as compare_learners
from .comparing import predict as predict
from .fitting import PerformanceFunction as PerformanceFunction
from .fitting import performance_function as performance_function
from .tables import fit_beta as fit_beta
from .tables import from_confusion as from_confusion
from .tables import learning_gain as learning_gain
