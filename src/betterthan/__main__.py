"""``python -m betterthan`` is ``betterthan``."""

from betterthan.cli.start import run

if __name__ == "__main__":
    run()
