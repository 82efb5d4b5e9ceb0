"""``python -m aiinfra`` is the command ``aiinfra``."""

from aiinfra.cli import main

main()
