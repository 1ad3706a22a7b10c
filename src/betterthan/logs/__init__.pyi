from .record import Logs as Logs
