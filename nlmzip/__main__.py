"""`python -m nlmzip` is the command `nlmzip`."""

import sys

from nlmzip.cli import main

sys.exit(main())
