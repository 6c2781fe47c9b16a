"""results.json, the only place where a grading's verdict is stored, and its derived formats: JUnit XML, and text for a person.

The judge writes it (tools/grading/results_json.h describes it), or this module if a file does not reach the judge. Everything else reads it:
nothing parses the output of a grading.
"""
import json
import re
import time
from pathlib import Path
from typing import Any, Optional

from workbook.messages import Failure

Results = dict[str, Any]
Test = dict[str, Any]

# A message from nvcc or a C++ compiler: the file, the line, the error.
COMPILE_ERROR = re.compile(r"^(?P<file>[^\s(:][^(:]*)(?:\((?P<nvcc>\d+)\)|:(?P<gcc>\d+):\d+): (?:fatal )?error:? (?P<message>.*)")


def parse(content: bytes) -> Optional[Results]:
    """The judge's output, even if it died before the verdict; None: nothing."""
    try:
        results = json.loads(content)
    except ValueError:
        return None
    return results if isinstance(results, dict) else None


def has_verdict(results: Optional[Results]) -> bool:
    """Whether the judge has finished."""
    return results is not None and isinstance(results.get("verdict"), str)


def load(path: Path) -> Optional[Results]:
    """The results of a grading; None if there are none, or if its judge died before the verdict."""
    try:
        results = parse(path.read_bytes())
    except OSError:
        return None
    return results if has_verdict(results) else None


def passed(results: Results) -> int:
    """The number of checks that passed."""
    return sum(test["status"] == "pass" for test in results["tests"])


def finding(kind: str, message: str, file: Optional[str] = None, line: Optional[int] = None) -> dict[str, Any]:
    """A finding of this module, without a place in a kernel and without a next step."""
    return {"kind": kind, "file": file, "line": line, "kernel": None, "block": None, "thread": None, "message": message, "next": None}


def compile_error(exercise: str, file: str, message: str) -> Results:
    """The results of a file that did not compile: without checks, as exercism specifies, but with the compiler's errors as findings."""
    found = [match for match in map(COMPILE_ERROR.match, message.splitlines()) if match]
    findings = [finding("compile_error", one["message"], one["file"], int(one["nvcc"] or one["gcc"])) for one in found]
    results = {"version": 3, "status": "error", "verdict": "compile_error", "message": message, "exercise": exercise, "file": file, "seconds": 0.0}
    return {**results, "findings": findings, "tests": []}


def crash(unfinished: Optional[Results], exercise: str, file: str, message: str) -> Results:
    """The results of a judge that died: the checks that it has judged, and an additional failed one."""
    tests: list[Test] = list((unfinished or {}).get("tests", []))
    name = "the grading runs to its end"
    failed = {"name": name, "task_id": len(tests) + 1, "status": "fail", "message": message + "\n", "output": None}
    tests.append({**failed, "subject": name, "verdict": "crash", "seconds": 0.0, "findings": [finding("crash", message)]})
    results = {"version": 3, "status": "fail", "verdict": "crash", "message": None, "exercise": exercise, "file": file}
    return {**results, "seconds": sum(test["seconds"] for test in tests), "tests": tests}


# --- for a person ---


def next_line(step: dict[str, Any], exercise: str) -> str:
    """The next step after a failed check, in the wording for a terminal."""
    tool = f" (make exercise{exercise} {step['tool']})" if step["tool"] else ""
    return f"next: {step['step']}{tool}, then: make exercise{exercise}\n"


def why(test: Test, exercise: str) -> str:
    """The reason why a check failed, and the next step."""
    return (test["message"] or "") + "".join(next_line(one["next"], exercise) for one in test["findings"] if one["next"])


def indented(text: str) -> str:
    """Indents each line by two columns."""
    return "".join(f"  {line}\n" for line in text.splitlines())


def feedback(results: Results) -> str:
    """Text for the student: first the checks, then the reasons of the failures, then the beginning of the program's output."""
    if results["verdict"] == "compile_error":
        return str(results["message"])
    words = {"pass": "ok", "fail": "failed", "error": "not run"}
    tests = results["tests"]
    parts = [f"  {words[test['status']]:7} {test['name']}\n" for test in tests]
    parts += [f"\n{test['name']}\n{indented(why(test, results['exercise']))}" for test in tests if test["status"] == "fail"]
    parts += [f"\nwhat the program printed in: {test['name']}\n{indented(test['output'])}" for test in tests if test["output"]]
    return "".join(parts)


# --- for other programs ---


def xml_text(text: str) -> str:
    """XML has no control characters."""
    return re.sub("[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff\ufffe\uffff]", "?", text)


def junit(results: Results) -> str:
    """JUnit XML by Ant's schema, the strictest: a testcase contains only the reason of its failure, and the output of all follows at the end. No
    machine name, since results are passed on."""
    import xml.etree.ElementTree as ElementTree  # imported here because a hint does not need it

    exercise, verdict, tests = results["exercise"], results["verdict"], results["tests"]
    compiled = verdict != "compile_error"
    states = [test["status"] for test in tests]
    root = ElementTree.Element("testsuites")
    suite = ElementTree.SubElement(root, "testsuite", name=f"exercise{exercise}", package="exercises", id="0", hostname="localhost")
    suite.set("timestamp", time.strftime("%Y-%m-%dT%H:%M:%S"))
    suite.set("time", f"{results['seconds']:.3f}")
    counts = {"tests": len(tests), "failures": states.count("fail"), "errors": 0, "skipped": states.count("error")}
    for name, number in (counts if compiled else {"tests": 1, "failures": 0, "errors": 1, "skipped": 0}).items():
        suite.set(name, str(number))
    ElementTree.SubElement(suite, "properties")
    if not compiled:
        case = ElementTree.SubElement(suite, "testcase", classname=f"exercise{exercise}", name="it compiles", time="0.000")
        ElementTree.SubElement(case, "error", type=verdict, message=verdict).text = xml_text(results["message"])
    for test in tests:
        case = ElementTree.SubElement(suite, "testcase", classname=f"exercise{exercise}", name=xml_text(test["name"]), time=f"{test['seconds']:.3f}")
        if test["status"] == "fail":
            told = ElementTree.SubElement(case, "failure", type=test["verdict"], message=test["verdict"])
            told.text = xml_text(f"{test['verdict']}: {why(test, exercise)}")
        elif test["status"] == "error":
            ElementTree.SubElement(case, "skipped")
    printed = [f"{test['name']}:\n{test['output']}" for test in tests if test["output"]]
    ElementTree.SubElement(suite, "system-out").text = xml_text("".join(printed))
    ElementTree.SubElement(suite, "system-err").text = ""
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def write(results: Results, folder: Path) -> None:
    """FOLDER/results.json, results.xml (JUnit) and feedback.txt."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "results.json").write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n", "utf-8")
        (folder / "results.xml").write_text(junit(results), "utf-8")
        (folder / "feedback.txt").write_text(feedback(results), "utf-8")
    except OSError as error:
        raise Failure(f"the results cannot be written to {folder}: {error.strerror}.") from error
