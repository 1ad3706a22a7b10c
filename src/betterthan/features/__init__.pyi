from .fitting import PerformanceFunction as PerformanceFunction
from .fitting import performance_function as performance_function
from .of_confusions import fit_beta as fit_beta
from .of_confusions import from_confusion as from_confusion
from .of_confusions import learning_gain as learning_gain
from .prediction import predict as predict
from .sets import compare as compare
from .sets import compare_learners as compare_learners
