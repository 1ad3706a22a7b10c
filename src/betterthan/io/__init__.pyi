from .by_name import read_judgments as read_judgments
from .by_name import tallies_from_table as tallies_from_table
