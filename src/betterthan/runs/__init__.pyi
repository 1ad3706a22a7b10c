from .analyses import noise as noise
from .analyses import reliability as reliability
from .analyses import same_system as same_system
from .answer import Runs as Runs
