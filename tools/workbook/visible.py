"""Makes untrusted text safe to print: from a student's program, the emulator in its process, the compiler. As tools/grading/visible.h."""
import re
from collections.abc import Sequence

Names = Sequence[tuple[str, str]]  # FROM, TO: files appear under the student's names for them

# Terminal control characters, line ends of other systems, and changes of the writing direction.
COMMANDS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufffd]")
# Text that GitHub's log would interpret as a command.
LOG_COMMAND = re.compile(r"^(\s*):(?=:.*::)|(?<=#)#(?=\[)")


def names_of(variable: str) -> Names:
    """GRADER_NAMES: a line for each name, FROM, a tab, TO."""
    pairs = (line.split("\t", 1) for line in variable.split("\n") if "\t" in line)
    return [(old, new) for old, new in pairs]


def visible_line(line: bytes, names: Names = ()) -> str:
    """A line without its newline: no terminal control characters, and `?` for invalid UTF-8."""

    def instead(match: "re.Match[str]") -> str:
        code = ord(match[0])
        return "^" + chr(code ^ 0x40) if code < 0x80 else "?"

    if line.endswith(b"\r"):
        line = line[:-1]
    shown = COMMANDS.sub(instead, line.decode("utf-8", "replace"))
    shown = LOG_COMMAND.sub(lambda match: (match[1] or "") + "?", shown)
    for old, new in names:
        if old:
            shown = shown.replace(old, new)
    return shown


def visible_name(name: str) -> str:
    """A file's or a student's name on one line: with ? for characters that control a terminal or end a line. All other letters are kept."""
    return "".join("?" if ord(letter) < 32 or ord(letter) == 127 else letter for letter in name)


def visible_text(text: bytes, most: int, names: Names = ()) -> str:
    """All lines, up to that many bytes."""
    shown = ""
    for line in re.findall(rb"[^\n]*\n|[^\n]+", text):
        most -= len(line)
        if most < 0:
            return shown + "(more was left out)\n"
        shown += visible_line(line.rstrip(b"\n"), names) + "\n"
    return shown
