from .corrections import adjust as adjust
from .corrections import friedman as friedman
from .corrections import strength as strength
from .roster import Tests as Tests
from .signs import mcnemar as mcnemar
from .similarity import groups as groups
