"""``python -m betterthan.cli`` is ``betterthan``."""

from betterthan.cli.start import run

if __name__ == "__main__":
    run()
