from .correlations import agreement as agreement
from .correlations import correlation as correlation
from .repeated import anova as anova
from .repeated import slopes as slopes
from .screening import bin_by as bin_by
from .screening import winsorise as winsorise
