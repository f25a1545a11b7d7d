"""`python -m quiz` is `shardwise`."""

import sys

from quiz.cli.entry import main

if __name__ == "__main__":
    sys.exit(main())
