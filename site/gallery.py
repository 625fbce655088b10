"""Makes the pages of the gallery: gallery.py PROGRAM FOLDER.

Each file of site/gallery is an analysis. Its data come from R. Its commands run in an empty folder, and
the page shows what they print. A sentence of the answer has a regular expression: the output must match.
"""

import os
import re
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path


def run(command: str, folder: str, program: Path) -> str:
    env = os.environ | {"PATH": f"{program.parent}:{os.environ['PATH']}", "COLUMNS": "100"}
    done = subprocess.run(["bash", "-eo", "pipefail", "-c", command], cwd=folder, env=env, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{command}: found exit code {done.returncode}, expected 0: {done.stderr[-1000:]}")
    return done.stdout


def page(name: str, analysis: dict, program: Path, out: Path) -> str:
    with tempfile.TemporaryDirectory() as folder:
        if "data" in analysis:
            Path(folder, "data.R").write_text(analysis["data"])
            run("Rscript data.R", folder, program)
        start = time.monotonic()
        # The table of scalars that follows the answers is left to aibd summary.
        printed = [re.split(r"\n\n +mean +sd", run(c, folder, program))[0].strip() for c in analysis["commands"]]
        seconds = time.monotonic() - start
        (out / f"{name}.png").write_bytes(Path(folder, analysis["picture"]).read_bytes())
    unwrapped = re.sub(r"\n {2,}(?=\S)", " ", "\n".join(printed))  # lines are broken between any two words
    for says in analysis["answer"]:
        if not re.search(says["if"], unwrapped):
            sys.exit(f"{name}: found no match of {says['if']!r} in the output, expected one for: {says['text']}")
    fence = lambda language, text: f"```{language}\n{text.strip()}\n```"
    return "\n\n".join([
        f"# {analysis['question']}",
        analysis["about"].strip(),
        f"![{analysis['caption']}]({name}.png)",
        "**Answer.** " + " ".join(says["text"] for says in analysis["answer"]),
        "**Known from elsewhere.** " + analysis["known"].strip(),
        "## Commands",
        *([fence("r", analysis["data"])] if "data" in analysis else []),
        fence("sh", "\n".join(analysis["commands"])),
        f"They took {seconds:.0f} seconds.",
        "## Output",
        *(fence("text", p) for p in printed[:-1]),  # the last command draws the picture
    ]) + "\n"


def main(program: Path, out: Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    for file in sorted(Path(__file__).parent.glob("gallery/*.toml")):
        text = page(file.stem, tomllib.loads(file.read_text()), program.resolve(), out)
        (out / f"{file.stem}.markdown").write_text(text)  # not .md: it is no document of the repository
        print(file.stem, flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
