"""A page's blocks, by markdown-it-py. A Python without that package gets it once, in build/markdown/, as notebooks/requirements.txt pins it. Only what makes
notebooks needs it; a notebook's first cell (start.py) does not.

markdown_blocks.py: looks that it is there.
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
    """Into a folder of its own first: two at once do not disturb each other."""
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
    """Of Markdown as GitHub has it, as far as pages use it."""
    try:
        import markdown_it
    except ImportError:
        install()
        importlib.invalidate_caches()
        import markdown_it
    return markdown_it.MarkdownIt("commonmark").enable("table")


def blocks_of(page):
    """Paragraphs, headings, fences and folded answers, without the empty lines between them. What no empty line separates stays together."""
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
