"""Runs the program aibd."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any, Callable, Optional, Sequence, Union

from ._settings import ARGUMENTS

Progress = Union[bool, Callable[[str], None]]


class AIBDError(Exception):
    """What the program says in one line: bad input, or a failure. If draws were saved, their
    run is at ``path``."""

    path: Optional[Path] = None


class UsageError(AIBDError, ValueError):
    """A setting that the program does not have, or a value that it does not take."""


class NotAgreed(AIBDError):
    """The chains do not agree, under strict=True. The run is at ``path``."""


class Interrupted(KeyboardInterrupt):
    """Sampling was interrupted. The draws so far are in the run at ``path``.

    ``aibd.load(path)`` reads them, and ``aibd.load(path).resume()`` continues the run.
    """

    path: Optional[Path] = None


def program() -> str:
    """Returns the path of the program.

    Raises FileNotFoundError if there is none.
    """
    if named := os.environ.get("AIBD"):
        return named
    name = "aibd.exe" if os.name == "nt" else "aibd"
    packaged = Path(__file__).parent / "bin" / name
    if packaged.is_file():
        return str(packaged)
    if found := shutil.which("aibd"):
        return found
    raise FileNotFoundError("found no program aibd: install a wheel that has it (make wheels), put aibd on the PATH, or name it in the environment variable AIBD")


def run(arguments: Sequence[str], cwd: Optional[Path] = None, progress: Progress = False) -> str:
    """Runs the program and returns what it prints.

    Lines of progress go to progress, or to standard error if it is True. An interrupt
    stops the program, which first saves its draws.
    """
    tell: Callable[[str], None] = progress if callable(progress) else (lambda line: print(line, file=sys.stderr, flush=True))
    # In a group of its own the program gets the interrupts of a terminal only from here.
    group: dict[str, Any] = {"start_new_session": True}
    stop: int = signal.SIGINT
    if sys.platform == "win32":
        group = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
        stop = signal.CTRL_BREAK_EVENT
    child = subprocess.Popen(
        [program(), *arguments], cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        encoding="utf-8", errors="replace", **group,
    )
    assert child.stdout is not None and child.stderr is not None
    stdout, stderr = child.stdout, child.stderr
    printed: list[str] = []
    reader = threading.Thread(target=lambda: printed.append(stdout.read()), daemon=True)
    reader.start()
    lines: list[str] = []
    while True:
        try:
            for line in stderr:
                line = line.rstrip("\n")
                lines.append(line)
                if progress and not line.startswith("aibd: "):
                    tell(line)
            child.wait()
            break
        except KeyboardInterrupt:
            child.send_signal(stop)
        except BaseException:
            child.kill()
            raise
    reader.join()
    stdout.close()
    stderr.close()
    if child.returncode == 0:
        return printed[0]
    errors = [line[len("aibd: "):] for line in lines if line.startswith("aibd: ")]
    message = _shown(errors[-1]) if errors else f"aibd ended with status {child.returncode}"
    if child.returncode == 130 or child.returncode == -signal.SIGINT:
        raise Interrupted(message)
    raise {2: UsageError, 3: NotAgreed}.get(child.returncode, AIBDError)(message)


def _shown(text: str) -> str:
    """Returns a text without the names of temporary directories, and with the argument in place of a key at its start."""
    text = re.sub(re.escape(tempfile.gettempdir()) + r"/([^/ :]+/)+", "", text)
    return re.sub(r"^([a-z_.]+)(?=: )", lambda key: ARGUMENTS.get(key[1], key[1]), text)


def in_python(text: str) -> str:
    """Returns a text with the commands that it proposes as calls of this package."""

    def call(match: "re.Match[str]") -> str:
        beginning = "fit.resume(" if match[1] else "aibd.fit(X, ..., "
        return beginning + ", ".join(_argument(*flag) for flag in re.findall(r"--([a-z-]+)(?:[= ](?!-)(\S+))?", match[2]) if flag[0] != "out") + ")"

    return re.sub(r"\baibd (?:(resume) \S+|fit \S+/run\.json)((?: (?!#)\S+)*)", call, text)


def _argument(name: str, value: str) -> str:
    """Returns a flag of the program as an argument."""
    if name == "set":
        key, _, value = value.partition("=")
        name = ARGUMENTS.get(key, key)
    if value in ("true", "false", ""):
        value = "False" if value == "false" else "True"
    elif not re.fullmatch(r"-?[0-9]+(\.[0-9]*)?", value):
        value = repr(value.strip("'"))
    return f"{name.replace('-', '_')}={value}"
