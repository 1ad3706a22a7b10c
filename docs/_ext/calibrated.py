"""The results in `validation/`, which the pages show: cells take them from here."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2]))

from validation.decisions.stored import FOLDER as FOLDER
from validation.decisions.stored import table as table
