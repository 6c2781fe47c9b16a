"""What must be known of a CUDA source before it is compiled."""

from __future__ import annotations

import re

# Comments and literals, which may contain anything. Raw strings first: R"tag( ... )tag".
_NOT_CODE = re.compile(
    r'R"([^()\\\s]{0,16})\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|//(?:\\\n|[^\n])*|/\*.*?\*/', re.DOTALL
)


def has_main(text: str) -> bool:
    """Whether it defines main, so that a program can be made of it."""
    code = _NOT_CODE.sub(" ", text)
    return re.search(r"(?<![\w.>:])main\s*\(", code) is not None


def without_comments(text: str) -> str:
    """The same with a space for each comment; strings stay, whatever they contain."""
    return _NOT_CODE.sub(lambda found: " " if found.group().startswith(("//", "/*")) else found.group(), text)


def own_architectures(text: str) -> list[str]:
    """What a line `// arch: sm_90a` asks for; the workbook's lessons use it."""
    found = re.search(r"^// arch: *([a-z0-9_ ]*[a-z0-9_]) *$", text, re.MULTILINE)
    return [word for word in found.group(1).split() if re.fullmatch(r"(sm|compute)_\d+[af]?", word)] if found else []
