from .reading import read_judgments as read_judgments
from .reading import tallies_from_table as tallies_from_table
