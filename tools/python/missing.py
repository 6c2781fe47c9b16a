"""missing.py REQUIREMENTS [FOLDER]: prints what this Python lacks of a lesson's requirements.txt, a package a line;
nothing if it has all. Ends with status 3 where the file has another line than these.

A line of that file is `name==version; python_version < "3.11"  # at least 1.24`: the version that is installed where
there is none, on which Pythons (without that: on all), and the oldest that will do where there is one (without that:
the pinned one). `# at least 1.24, below 2.5` names the first that will not do, too; `# at least 13.0, or libnvrtc.so`:
that library in FOLDER, the toolkit's, will do as well; `# at least 1.17, or onnxruntime-gpu`: so will that package.
`torch==2.13.0+cpu` is one build of a version: what is installed by that line, where any build of a version that will do
is taken as it is. A line of pip's own, `--extra-index-url ...`, says where else pip looks.
"""

import glob
import importlib.metadata
import os
import re
import sys

LINE = re.compile(
    r'(?P<name>[\w.-]+)==(?P<pinned>[\w.]+(?:\+\w+)?)\s*(?:;\s*python_version\s*(?P<order><|>=)\s*"(?P<python>[\d.]+)")?\s*'
    r"(?:#\s*at least (?P<least>[\d.]+)(?:, below (?P<below>[\d.]+))?(?:, or (?:(?P<library>lib[\w.]+)|(?P<other>[\w-]+)))?)?\s*"
)

WRONG_LIST = 3  # the exit status


def numbers(version):
    """1.24.0rc1 as (1, 24): enough to put versions in order."""
    return tuple(int(part) for part in re.findall(r"\d+", version)[:2])


def is_meant(line):
    if not line["order"]:
        return True
    older = sys.version_info[:2] < numbers(line["python"])
    return older if line["order"] == "<" else not older


def version_of(*names):
    """Of the first of these packages that is installed."""
    for name in filter(None, names):
        try:
            return importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            pass
    return None


def is_missing(line, folder):
    libraries = [os.path.join(folder or "", there, f"{line['library']}*") for there in ("", "../nvvm/lib64")]
    if line["library"] and folder and any(map(glob.glob, libraries)):
        return False
    found = version_of(line["name"], line["other"])
    if not found:
        return True
    if line["below"] and numbers(found) >= numbers(line["below"]):
        return True
    return numbers(found) < numbers(line["least"] or line["pinned"])


def main(path, folder=None):
    with open(path, encoding="utf-8") as file:
        for text in file:
            if not text.strip() or text.startswith(("#", "--extra-index-url https://")):
                continue
            line = LINE.fullmatch(text.rstrip("\n"))
            if not line:
                print(
                    f"{path}: this is no `name==version`, with a marker and `# at least` or without: {text.strip()}",
                    file=sys.stderr,
                )
                sys.exit(WRONG_LIST)
            if is_meant(line) and is_missing(line, folder):
                print(line["name"])


main(*sys.argv[1:])
