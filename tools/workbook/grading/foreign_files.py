"""Files that were compiled into an object but that the compiler's jail does not show. Without a jail, this check rejects them."""
import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Optional

SYSTEM = re.compile(r"/(usr|opt|nix|lib[^/]*)/")


def included_files(dependencies: str) -> list[str]:
    """All files of an object, as real paths, from the dependency file that the compiler has written for make: `object: file file \\`, with
    spaces in a name as `\\ `."""
    text = re.sub(r"\\$", "", dependencies, flags=re.MULTILINE).replace("\n", " ")
    text = re.sub(r"^[^:]*: *", "", text).replace("\\ ", "\t")
    names = [name.replace("\t", " ") for name in re.split(" +", text) if name and not name.endswith(":")]
    return sorted({os.path.realpath(name) for name in names})


def first_foreign(views: Iterable[str], dependencies: Path) -> Optional[str]:
    """The first such file. `views`: the paths of this machine that the jail shows in addition to the system (tools/jail/view.c)."""
    shown = {os.path.realpath(view) for view in views if view} - {"/"}
    here = os.getcwd() + "/"
    for path in included_files(dependencies.read_text("utf-8", "surrogateescape")):
        if SYSTEM.match(path) and not path.startswith(here):
            continue
        parents = [path, *map(str, Path(path).parents)]
        if not shown.intersection(parents):
            return path
    return None
