from .record import Logs as Logs
from .writing import write as write
