"""The results in `validation/`, which the pages show: cells take them from here."""

import sys
from functools import cache
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2]))

from validation.decisions import stored
from validation.decisions.stored import FOLDER as FOLDER
from validation.decisions.stored import table as table

stored.read = cache(stored.read)  # a page asks for many tables of the same files
