"""A page's blocks, by markdown-it-py. For a Python without that package it is installed once, in build/markdown/, in the version that
notebooks/requirements.txt pins. Only the generator of notebooks needs it; a notebook's first cell (start.py) does not.

markdown_blocks.py: makes sure that it is installed.
"""

import functools
import importlib
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ROOT / "build" / "markdown"
PINS = re.compile(r"^(?:markdown-it-py|mdurl)==\S+", re.MULTILINE)
sys.path.append(str(PACKAGES))


def install():
    """Installs into a temporary folder first, so that two simultaneous installations do not conflict."""
    pins = PINS.findall((ROOT / "notebooks" / "requirements.txt").read_text())
    PACKAGES.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=PACKAGES.parent) as folder:
        options = ["--quiet", "--disable-pip-version-check", "--retries", "2", "--root-user-action", "ignore", "--no-deps", "--target", f"{folder}/new"]
        if subprocess.run([sys.executable, "-m", "pip", "install", *options, *pins], stdout=sys.stderr).returncode:
            sys.exit(f"Pages are read with {' and '.join(pins)}, and pip could not install that into {PACKAGES}.")
        if not PACKAGES.exists():
            Path(folder, "new").rename(PACKAGES)


@functools.lru_cache
def parser():
    """A parser for the subset of GitHub's Markdown that pages use."""
    try:
        import markdown_it
    except ImportError:
        install()
        importlib.invalidate_caches()
        import markdown_it
    return markdown_it.MarkdownIt("commonmark").enable("table")


def blocks_of(page):
    """Paragraphs, headings, fences and folded answers, without the empty lines between them. Text without an empty line in between stays together."""
    lines, blocks, folded = page.split("\n"), [], 0
    for token in parser().parse(page):
        if token.level or not token.map:
            continue
        first, end = token.map
        while not lines[end - 1].strip():
            end -= 1
        if blocks and (folded or first == blocks[-1][1]):
            blocks[-1][1] = end
        else:
            blocks.append([first, end])
        if token.type == "html_block":
            folded += token.content.count("<details>") - token.content.count("</details>")
    return ["\n".join(lines[first:end]) for first, end in blocks]


if __name__ == "__main__":
    parser()
