"""Builds a wheel of the package with the program inside: build_wheel.py PLATFORM PROGRAM LICENSES DIST.

LICENSES is the folder with the licenses of what the program contains (make licenses).

A wheel without the program, from pip wheel or pip install, works on all platforms.
"""

import os
import shutil
import sys
import tempfile
from pathlib import Path

from setuptools import build_meta

# The program is static on Linux. Go needs macOS 12.
TAGS = {
    "linux/amd64": "manylinux2014_x86_64",
    "linux/arm64": "manylinux2014_aarch64",
    "darwin/amd64": "macosx_12_0_x86_64",
    "darwin/arm64": "macosx_12_0_arm64",
    "windows/amd64": "win_amd64",
    "windows/arm64": "win_arm64",
}


def main(platform: str, program: Path, licenses: Path, dist: Path) -> None:
    root = Path(__file__).resolve().parent
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch, "python")
        shutil.copytree(root, copy, ignore=shutil.ignore_patterns("tests", "build", "*.egg-info", "__pycache__"))
        shutil.copy(root.parent / "LICENSE", copy)
        (copy / "aibd/bin").mkdir()
        shutil.copy(program, copy / "aibd/bin")
        shutil.copytree(licenses, copy / "aibd/licenses")
        with open(copy / "MANIFEST.in", "a") as files:
            files.write("recursive-include aibd/bin *\nrecursive-include aibd/licenses *\n")
        with open(copy / "pyproject.toml", "a") as project:
            # Without the program inside, a script of this name would hide the program on the PATH.
            project.write('\n[project.scripts]\naibd = "aibd.__main__:main"\n')
        os.chdir(copy)
        build_meta.build_wheel(dist, {"--global-option": "--quiet", "--build-option": ["--plat-name", TAGS[platform]]})
        os.chdir(root)


if __name__ == "__main__":
    main(sys.argv[1], *(Path(name).resolve() for name in sys.argv[2:]))
