from .beetle import beetle_confusion as beetle_confusion
from .beetle import beetle_function_fits as beetle_function_fits
from .beetle import beetle_functions as beetle_functions
from .beetle import beetle_scores as beetle_scores
from .diag import diag_measures as diag_measures
from .intent import contingency_case as contingency_case
from .intent import intent_detection as intent_detection
from .muc6 import muc6_similarity as muc6_similarity
