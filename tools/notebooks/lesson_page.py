"""Reads a lesson's page (README.md) as the parts of a notebook: text, cells that show pieces of the program, the exercise.

CONTRIBUTING.md explains the markers for authors, under "A notebook".
"""

import re
from dataclasses import dataclass, field

from markdown_blocks import blocks_of

MAKE_ACTIONS = {"run": "", "sanitize": "--sanitize", "profile": "--profile", "view": "--view", "ptx": "--ptx"}
MAKE_ARGUMENTS = {"V": "--version", "SIZE": "--size", "SEED": "--seed"}
MARKER = re.compile(r"<!-- notebook: (.*?) -->\s*", re.DOTALL)
CODE_MARKER = re.compile(r"<!-- (code|diff): (.*?) -->\n", re.DOTALL)
TABLE = re.compile(r"^\|.*(?:\n\|.*)*", re.MULTILINE)
FIGURE = re.compile(r"(!\[[^]]*\])\(figures/([^)\s]+\.svg)\)")


@dataclass
class Text:
    text: str


@dataclass
class Code:
    """A cell with the whole program, in which the items of that name are shown and the rest is included."""

    shown: list = field(default_factory=list)
    options: str = ""  # of %%nvcc
    arguments: str = ""  # of the program


@dataclass
class Exercise:
    pass


class PageError(Exception):
    pass


def parse_make(line, number):
    """`make lesson03 profile V=4` as a cell; None for commands that work only in a terminal."""
    match = re.fullmatch(rf"make lesson{number} (\w+)((?: [A-Z]+=\S+)*)", line.strip())
    if not match or match.group(1) not in MAKE_ACTIONS:
        return None
    options, arguments = [MAKE_ACTIONS[match.group(1)]], []
    for setting in match.group(2).split():
        name, value = setting.split("=", 1)
        if name in MAKE_ARGUMENTS:
            arguments += [MAKE_ARGUMENTS[name], value]
        elif name == "KERNEL" and re.search(r"\d+$", value):
            arguments += ["--version", re.search(r"\d+$", value).group()]
        elif name == "LINE" and match.group(1) == "view":
            options.append(value)
        elif name == "BACKEND":
            options.append(f"--backend {value}")
        else:
            return None
    return Code([], " ".join(filter(None, options)), " ".join(arguments))


def make_words(code, number):
    """The inverse: the make command of a cell that parse_make has created."""
    action = next(name for name, option in MAKE_ACTIONS.items() if option == code.options.split(" ")[0])
    words = code.arguments.split()
    names = {word: name for name, word in MAKE_ARGUMENTS.items()}
    return " ".join([f"lesson{number}", action, *(f"{names[word]}={value}" for word, value in zip(words[::2], words[1::2]))])


def parse_marker(words, number):
    """`relu relu1 -- --version 1`, `--profile relu_kernel4 relu4`, `make lesson03 view V=1`, or `none`."""
    if words == "none":
        return None
    if words.startswith("make "):
        code = parse_make(words, number)
        if code is None:
            raise PageError(f"a notebook cannot do this: {words}")
        return code
    left, _, arguments = (words + " ").partition(" -- ")
    shown = [word for word in left.split() if not word.startswith("--")]
    return Code(shown, " ".join(word for word in left.split() if word.startswith("--")), arguments.strip())


class Reader:
    """Processes the blocks and keeps track of the kernel being explained: its cell follows the explanation."""

    def __init__(self, program, number):
        self.program, self.number = program, number
        self.parts, self.text, self.kernel, self.marked = [], [], None, None
        self.waiting = None  # a command in the middle of a sentence: its cell follows the sentence

    def read(self, page):
        blocks = blocks_of(page)
        for block, following in zip(blocks, blocks[1:] + [""]):
            self.take(block, following)
        self.end_of_topic()
        self.end_of_text()
        return self.parts

    def take(self, block, following):
        marker = MARKER.fullmatch(block + "\n")
        command = re.fullmatch(r"```\n(make .*)\n```", block)
        if marker:
            self.end_of_marked()
            self.kernel = None
            self.marked = parse_marker(marker.group(1), self.number)
        elif command and following[:1].islower() and parse_make(command.group(1), self.number):
            self.text.append(block)
            self.waiting, self.marked = (command.group(1), self.marked), None
        elif command and self.take_command(parse_make(command.group(1), self.number)):
            pass
        elif re.match(rf"```\nmake exercise{self.number}\b", block):
            self.add(Exercise())
        else:
            self.take_text(block)

    def take_command(self, code):
        """A command on a separate line becomes a cell: with the items named by a marker directly before, or the kernel explained."""
        if code is None:
            return False
        if self.marked:
            code.shown, code.arguments, self.marked = self.marked.shown, code.arguments or self.marked.arguments, None
        elif self.kernel and code.options and code.arguments in ("", f"--version {version_of(self.kernel)}"):
            code = Code(self.with_launcher(self.kernel), code.options, self.arguments_for(self.kernel))
            self.kernel = None
        self.add(code)
        return True

    def take_text(self, block):
        self.end_of_marked()
        bold = re.match(r"\*\*(\w+)", block)
        if block.startswith("#") or bold:
            self.end_of_topic()
        if block.startswith("## "):
            self.end_of_text()
        if bold and self.program.has_kernel(bold.group(1)):
            self.kernel = bold.group(1)
        excerpt = CODE_MARKER.match(block)
        if not (excerpt and self.is_in_next_cell(excerpt)):
            self.text.append(CODE_MARKER.sub("", block))
        if self.waiting:
            (command, self.marked), self.waiting = self.waiting, None
            self.take_command(parse_make(command, self.number))

    def is_in_next_cell(self, excerpt):
        """Whether the block is the complete kernel being explained, which the next cell shows."""
        return self.kernel and excerpt.group(1) == "code" and excerpt.group(2).split() == [self.program.path.name, self.kernel]

    def end_of_marked(self):
        code, self.marked = self.marked, None
        if code:
            self.add(code)

    def end_of_topic(self):
        self.end_of_marked()
        kernel, self.kernel = self.kernel, None
        if kernel:
            self.add(Code(self.with_launcher(kernel), "", self.arguments_for(kernel)))

    def end_of_text(self):
        if self.text:
            self.parts.append(Text("\n\n".join(self.text)))
        self.text = []

    def add(self, part):
        self.end_of_text()
        self.parts.append(part)

    def with_launcher(self, kernel):
        return [kernel] + self.program.launchers(kernel)[:1]

    def arguments_for(self, kernel):
        """Only the kernel's own version; a kernel without a number appears in any run, so a small one suffices."""
        return f"--version {version_of(kernel)}" if version_of(kernel) else "--size 100"


def version_of(kernel):
    match = re.search(r"_kernel(\d+)$", kernel)
    return match.group(1) if match else ""


def is_figure(block):
    return bool(FIGURE.fullmatch(block))


def columns_of(row):
    return [cell.strip() for cell in row.strip().strip("|").split("|")]


def is_prediction(block):
    """A table for the reader's predictions."""
    return block.startswith("|") and any(cell.startswith("predict") for cell in columns_of(block.split("\n")[0]))


def is_folded_prediction(block):
    """Answers that the page itself folds."""
    return block.startswith("<details>") and any(is_prediction(table) for table in TABLE.findall(block))


def split_prediction(table):
    """The table to be filled in, and the one with the answers."""
    rows = [columns_of(row) for row in table.split("\n")]
    for at, cell in enumerate(rows[0]):
        if cell == "counted" and rows[0][at - 1].startswith("predict: "):
            rows[0][at] = rows[0][at - 1].replace("predict: ", "")
    asked = [at for at, cell in enumerate(rows[0]) if cell.startswith("predict")]
    known = range(asked[0])
    answers = [at for at in range(len(rows[0])) if at not in asked]
    return tuple("\n".join(f"| {' | '.join(row[at] for at in kept)} |" for row in rows) for kept in ([*known, *asked], answers))


def read_page(page, program, number):
    return Reader(program, number).read(page)
