from .counting import count as count
from .dataset import from_table as from_table
from .graded import prediction_powered as prediction_powered
from .tipped import tipping as tipping
