from .all_at_once import friedman as friedman
from .corrections import adjust as adjust
from .roster import Tests as Tests
from .signs import mcnemar as mcnemar
from .similarity import groups as groups
from .strengths import strength as strength
