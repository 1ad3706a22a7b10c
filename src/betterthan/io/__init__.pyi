from .judged import read_judgments as read_judgments
from .tallied import tallies_from_table as tallies_from_table
