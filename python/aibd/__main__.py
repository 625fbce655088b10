"""Runs the program as python -m aibd, and as the command aibd of wheels that have the program."""

import os
import subprocess
import sys

from ._program import program


def main() -> None:
    command = [program(), *sys.argv[1:]]
    if os.name == "nt":  # where exec returns to the shell at once
        sys.exit(subprocess.call(command))
    os.execvp(command[0], command)  # AIBD may name a program on the PATH


if __name__ == "__main__":
    main()
