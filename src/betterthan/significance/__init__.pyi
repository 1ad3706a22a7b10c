from .corrections import adjust as adjust
from .signs import mcnemar as mcnemar
from .similarity import groups as groups
from .strengths import strength as strength
