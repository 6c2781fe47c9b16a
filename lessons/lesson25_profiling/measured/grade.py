"""grade.py FILE...: grades files on the GPU, and records how long each function takes, in copies of its input: a step of record.list."""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from common import record


def main():
    """Exit status 1: a grading has come to no verdict."""
    environment = {name: value for name, value in {**os.environ, "BACKEND": "gpu"}.items() if not name.startswith("RECORD")}
    for file in sys.argv[1:]:
        with tempfile.TemporaryDirectory() as folder:
            command = ["tools/grading/run", "25", file]
            subprocess.run(command, env={**environment, "RESULTS": folder}, timeout=150, stdout=subprocess.DEVNULL, check=False)
            results = json.loads((Path(folder) / "results.json").read_text("utf-8"))
        record.part(Path(file).stem)
        print(f"{file}: {results['verdict']}")
        record.row("all", "verdict", results["verdict"])
        for test in results["tests"]:
            copies = re.search(r"as long as ([\d.]+) copies", f"{test['subject']} {test['message']}")
            if copies:
                record.row(test["name"].partition(":")[0], "copies", float(copies[1]))


if __name__ == "__main__":
    main()
