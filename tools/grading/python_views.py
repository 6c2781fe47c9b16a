"""python_views.py - the paths that a jail has to show for this Python to run in it: prints one per line.

A virtual environment's interpreter is a link, which may lead through others to the real one (uv, pyenv): each of them is shown.
"""

import os
import sys
import sysconfig

PROJECT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def links(path):
    """The path and every link on the way to its target."""
    chain = [path]
    while os.path.islink(chain[-1]) and len(chain) < 20:
        chain.append(os.path.normpath(os.path.join(os.path.dirname(chain[-1]), os.readlink(chain[-1]))))
    return [*chain, os.path.realpath(path)]


def is_home(folder):
    """A Python installed in a home directory does not expose all of it."""
    home = os.path.expanduser("~")
    return any(f"{own}/".startswith(folder.rstrip("/") + "/") for own in (home, f"{home}/.local"))


def is_under(path, folder):
    return f"{os.path.abspath(path)}/".startswith(folder.rstrip("/") + "/")


def is_of_judge(path):
    """The search path for the judge's modules: this workbook, but not an environment inside it."""
    return is_under(path, PROJECT) and not is_under(path, sys.prefix)


def views():
    found = set(links(sys.executable))
    for prefix in {sys.prefix, sys.base_prefix}:
        if not is_home(prefix):
            found.add(prefix)
    found.update(path for path in sys.path if os.path.isdir(path) and not is_home(path) and not is_of_judge(path))
    found.update(sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib", "include"))
    library = os.path.join(sysconfig.get_config_var("LIBDIR") or "", sysconfig.get_config_var("LDLIBRARY") or "")
    if os.path.isfile(library):
        found.update(links(library))
    return sorted(path for path in found if path and os.path.exists(path))


if __name__ == "__main__":
    print("\n".join(views()))
