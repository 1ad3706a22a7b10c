from .counting import count as count
from .graded import prediction_powered as prediction_powered
from .tables import from_table as from_table
from .tipped import tipping as tipping
