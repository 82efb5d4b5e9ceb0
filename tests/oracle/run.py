"""Install PyTorch and `transformers` and run the oracle; where they cannot be had, say so in one line and pass."""

import os
import subprocess
import sys
from pathlib import Path

NEEDS = ("torch==2.13.*", "transformers==5.24.*")  # pinned: another version may compute something else


def attempt(*args: str) -> str:
    """Run Python with some arguments; the last line it complains with, or nothing."""
    done = subprocess.run([sys.executable, *args], capture_output=True, text=True)
    return "" if done.returncode == 0 else (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]


def main() -> int:
    for args in (["-m", "pip", "install", "--quiet", "--retries", "1", *NEEDS], ["-c", "import torch, transformers"]):
        if why := attempt(*args):
            print(f"oracle skipped: {' and '.join(NEEDS)} cannot be {'installed' if '-m' in args else 'imported'}: {why}")
            return 0
    here = str(Path(__file__).parent)
    command = [sys.executable, "-m", "pytest", "-q", "-W", "ignore", "--confcutdir", here, here, *sys.argv[1:]]
    return subprocess.call(command, env=os.environ | {"ORACLE": "1"})


if __name__ == "__main__":
    sys.exit(main())
