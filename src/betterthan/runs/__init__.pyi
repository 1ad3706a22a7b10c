from .answer import Runs as Runs
from .pass_k import reliability as reliability
from .run_noise import noise as noise
from .run_noise import same_system as same_system
