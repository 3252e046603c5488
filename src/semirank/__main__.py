"""``python -m semirank``."""

from semirank.cli import main

main()
