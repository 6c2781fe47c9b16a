"""The tools' messages: on stderr, since stdout belongs to the program that runs; in colour on a terminal, unless NO_COLOR is set."""
import os
import sys


class Failure(Exception):
    """Ends a command: `Failure("what is wrong", "what to do", ...)`, one line each."""


def colour(code: int, text: str) -> str:
    """The text in an ANSI colour (31 red, 32 green, 33 yellow, 1 bold) if stderr is a terminal that shows colours."""
    shows = sys.stderr.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM", "dumb") != "dumb"
    return f"\033[{code}m{text}\033[0m" if shows else text


def say(text: str) -> None:
    """Prints a line to stderr."""
    print(text, file=sys.stderr, flush=True)


def warn(text: str) -> None:
    """Prints a warning to stderr."""
    say(f"{colour(33, 'warning:')} {text}")


def report(failure: Failure) -> None:
    """Prints a failure to stderr: its first line as an error, the others below it."""
    first, *others = [str(line) for line in failure.args] or ["it failed"]
    say(f"{colour(31, 'error:')} {first}")
    for line in others:
        say(f"       {line}")
