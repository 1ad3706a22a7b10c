from .answer import Runs as Runs
from .noise import noise as noise
from .noise import same_system as same_system
from .reliability import reliability as reliability
