from .correlations import agreement as agreement
from .correlations import bin_by as bin_by
from .correlations import correlation as correlation
from .correlations import winsorise as winsorise
from .raters import alpha as alpha
from .raters import kappa as kappa
from .repeated import anova as anova
from .repeated import slopes as slopes
