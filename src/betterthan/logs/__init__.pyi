from .frames import write as write
from .record import Logs as Logs
