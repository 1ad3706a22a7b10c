"""``python -m betterthan.cli`` is ``betterthan``."""

from betterthan.cli.commands import main

if __name__ == "__main__":
    main()
