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
import warnings
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


class DataError(AIBDError, ValueError):
    """Data, distances or covariates that cannot be used, such as an infinite cell."""


class NotAgreed(AIBDError):
    """The chains do not agree, or on what is large only, under strict=True. The run is at ``path``."""


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


def warn(text: str, category: type[Warning] = UserWarning) -> None:
    """Warns at the line of the user that called this package, also through scikit-learn."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back and frame.f_globals.get("__name__", "").split(".")[0] in ("aibd", "sklearn", "joblib"):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, category, stacklevel=level)


def teller(progress: Progress) -> Callable[[str], None]:
    """Returns the function that takes lines of progress."""
    return progress if callable(progress) else (lambda line: print(line, file=sys.stderr, flush=True))


def run(arguments: Sequence[str], cwd: Optional[Path] = None, progress: Progress = False) -> str:
    """Runs the program and returns what it prints.

    Lines of progress go to progress, or to standard error if it is True. An interrupt
    stops the program, which first saves its draws.
    """
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
                    teller(progress)(in_python(line))
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
    if not errors:  # it broke
        raise AIBDError(next((line for line in lines if line.startswith(("panic: ", "fatal error: "))), f"aibd ended with status {child.returncode}"))
    message = _shown(errors[-1])
    if child.returncode == 130 or child.returncode == -signal.SIGINT:
        raise Interrupted(message)
    if child.returncode in (3, 4):
        raise NotAgreed(message)
    if child.returncode == 2 or _SETTING.match(errors[-1]):
        raise UsageError(message)
    raise (DataError if re.match(r"(X|side|distance)\b", message) else AIBDError)(message)


# An error about a setting.
_SETTING = re.compile(rf"(--[a-z-]+|{'|'.join(map(re.escape, ARGUMENTS))}|distance\.[^:/]+\.[a-z_]+): ")


def _shown(text: str) -> str:
    """Returns an error without the names of temporary directories, in words of Python, with rows of X for lines
    of its file."""
    text = re.sub(re.escape(tempfile.gettempdir()) + r"/([^/ :]+/)+", "", text)
    text = re.sub(r"^unknown flag ", "unknown argument ", text)
    text = re.sub(r"^([a-z_.]+)(?=: )", lambda key: ARGUMENTS.get(key[1], key[1]), text)
    # Files have a header and names of the items.
    text = re.sub(r"^((?:side|distance): line \d+), column 1: found the id ", r"\1: found the id ", text)
    text = re.sub(r"\bdistance: line (\d+), column (\d+)", lambda at: f"distance: row {int(at[1]) - 2}, column {int(at[2]) - 2} (from 0)", text)
    text = re.sub(r"\b(X|side|distance): line (\d+)", lambda at: f"{at[1]}: row {int(at[2]) - 2} (from 0)", text)
    text = re.sub("found none, expected the file of the matrix$", "found no matrix, expected distance=the matrix itself, or 'matrix:FILE'", text)
    return in_python(text)


def in_python(text: str) -> str:
    """Returns a text with the commands that it proposes as calls of this package, and other flags as arguments."""

    def call(match: "re.Match[str]") -> str:
        beginning = {"resume": "fit.resume(", "report": "fit.report(file", "estimate": "fit.estimate(", None: "aibd.fit(X, ..., "}.get(match[1], f"fit.call({match[1]!r}, ")
        return beginning + ", ".join(_argument(*flag) for flag in re.findall(r"--([a-z-]+)(?:[= ](?!-)(\S+))?", match[2]) if flag[0] != "out") + ")"

    def argument(match: "re.Match[str]") -> str:
        name, value = match[1], match[2]
        if match[3]:  # a colon or a quotation mark
            return name.replace("-", "_") + match[3]
        return _argument(name, value) if value else name.replace("-", "_") + "=..."

    text = re.sub(r"\baibd (?:(resume|report|estimate|compare) \S+|fit \S+/run\.json)((?: --[a-z-]+(?:[= ][^-(\s]\S*)?)*)", call, text)
    text = re.sub(r"\baibd summary (?!--)('[^']*'|[^\s,;)]+)", "print(fit)", text)
    text = re.sub(rf"(?<!\w)--([a-z][a-z-]*)(?:[= ]('[^']*'|(?<=set )[a-z_.]+=[\w.-]+|(?<==)[\w.-]+|{_VALUES})|([:\"]))?", argument, text)
    return re.sub(r"(='[^']*'|=[0-9.]+) ([a-z_]+=)", r"\1, \2", text)


# The values of flags that the program proposes, apart from those in quotation marks.
_VALUES = r"(?:[a-z-]+:[^ ;:()]+|great-circle|euclidean|absolute|common|none|binary|weighted|graded|ibp|aibd|ddibp|NAME|-?[0-9][\w.]*|[^ ;:()]+,[^ ;:()]+)(?!\w)"


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
