from .counting import count as count
from .dataset import from_table as from_table
from .dataset import prediction_powered as prediction_powered
from .dataset import tipping as tipping
