"""map: regenerates the map after a lesson was added, or states other prerequisites or minutes: lessons/map.svg, and in MAP.md the term's table and all
sums of minutes. What a day and a week contain is written by hand.

map --figure prints the figure of the prerequisites. A row for each lesson has a square for each earlier lesson: dark if its page names that lesson,
light if one of its other prerequisites does.
"""
import re
from pathlib import Path
from xml.sax.saxutils import escape

from workbook.messages import Failure
from workbook.needs import Lesson, all_needs

LEFT, TOP, CELL = 240, 60, 28
LINKED = re.compile(r"lessons/lesson(\d\d[a-z]?)_")
SUMS = re.compile(
    r"^(?:\| (?P<when>[^|\n]*) \| (?P<read>[^|\n]*lessons/lesson[^|\n]*) \| (?P<done>[^|\n]*?) ?\|[^|\n]*\||In all \d+ minutes \(\d+ hours\))", re.MULTILINE
)
STYLE = """\
  <style>
    text { font-family: Helvetica, Arial, sans-serif; font-size: 14px; fill: #1a1a1a; }
    .small { font-size: 12px; fill: #4a4a4a; } .mid { text-anchor: middle; } .end { text-anchor: end; }
    .line { stroke: #e2e2e2; } .dark { fill: #1f5fa8; } .light { fill: #bcd3ec; }
  </style>
"""


def text(x: float, y: float, looks: str, words: str) -> str:
    """Text at a place; `looks` are classes of the style sheet."""
    attribute = f' class="{looks}"' if looks else ""
    return f'  <text x="{x:.1f}" y="{y:.1f}"{attribute}>{escape(words)}</text>\n'


def titled(lesson: Lesson) -> str:
    """gemm tiled, of lesson15_gemm_tiled."""
    return lesson.name.replace("_", " ")


def through_others(lesson: Lesson, number: str, lessons: dict[str, Lesson]) -> bool:
    """Whether that lesson is an indirect prerequisite of this one."""
    others = [lessons[need] for need in lesson.needs if need in lessons]
    return any(number in other.needs or through_others(other, number, lessons) for other in others)


def row(lesson: Lesson, position: int, lessons: dict[str, Lesson], width: int) -> str:
    """One lesson's line of the figure."""
    y = TOP + position * CELL
    parts = [f'  <line x1="16.0" y1="{y + CELL:.1f}" x2="{width - 16:.1f}" y2="{y + CELL:.1f}" class="line"/>\n']
    parts += [text(16, y + 19, "", f"{lesson.number} {titled(lesson)}"), text(LEFT - 24, y + 19, "small end", f"{lesson.reading} + {lesson.exercise}")]
    if position < len(lessons) - 1:
        parts.append(text(LEFT + position * CELL + CELL / 2, TOP - 10, "small mid", lesson.number))
    for column, number in enumerate(list(lessons)[:position]):
        shade = "dark" if number in lesson.needs else "light" if through_others(lesson, number, lessons) else ""
        if shade:
            place = f'x="{LEFT + column * CELL + 5:.1f}" y="{y + 5:.1f}"'
            parts.append(f'  <rect class="{shade}" {place} width="{CELL - 10}" height="{CELL - 10}" rx="4"/>\n')
    return "".join(parts)


def legend(y: int) -> str:
    """The legend of dark and light."""
    entries = ((16, "dark", "its page names this one"), (200, "light", "needed by one that it needs"))
    square = '  <rect class="{}" x="{}" y="{}" width="18" height="18" rx="4"/>\n'
    return "".join(square.format(shade, x, y) + text(x + 26, y + 14, "small", words) for x, shade, words in entries)


def figure(needs: list[Lesson]) -> str:
    """The map as SVG. Failure: there is no lesson to draw."""
    if not needs:
        raise Failure("no page says what it needs, so there is no map.")
    lessons = {lesson.number: lesson for lesson in needs}
    width, height = LEFT + (len(needs) - 1) * CELL + 24, TOP + len(needs) * CELL + 54
    described = [f"{one.number} {escape(titled(one))} needs {', '.join(sorted(set(one.needs) & set(lessons))) or 'no other'}. " for one in needs]
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" ']
    parts += ['aria-labelledby="title desc">\n  <title id="title">Which lesson needs which</title>\n']
    parts += ['  <desc id="desc">', *described, "</desc>\n", STYLE]
    parts += [f'  <rect x="1" y="1" width="{width - 2}" height="{height - 2}" rx="8" fill="#ffffff" stroke="#c4c4c4"/>\n']
    parts += [text(16, 26, "small", "lesson, minutes: reading + exercise"), text(LEFT, 26, "small", "needs")]
    parts += [row(lesson, position, lessons, width) for position, lesson in enumerate(needs)]
    return "".join([*parts, legend(TOP + len(needs) * CELL + 16), "</svg>\n"])


def link(lesson: Lesson, part: str = "") -> str:
    """A link of MAP.md to a lesson's page, or to a part of it."""
    return f"[{lesson.number} {titled(lesson)}]({lesson.folder}/README.md{part})"


def term(needs: list[Lesson]) -> str:
    """The rows of a term, without their sums: each week a lesson and its exercise."""
    return "".join(f"| week {week} | {link(one)} | {link(one, '#exercise')} | |\n" for week, one in enumerate(needs, 1))


def with_term(page: str, needs: list[Lesson]) -> str:
    """MAP.md with the table of a term regenerated."""
    head, title, rest = page.partition("\n## A term\n")
    rest, following, others = rest.partition("\n## ")
    rest = re.sub(r"^\| week \d.*\n", "", rest, flags=re.MULTILINE)
    rest = re.sub(r"^\|---.*\n", lambda line: line[0] + term(needs), rest, count=1, flags=re.MULTILINE)
    return head + title + rest + following + others


def with_sums(page: str, needs: list[Lesson]) -> str:
    """MAP.md with the minutes of each row, and those of each path below its table: a row has what is read, then which exercises are done."""
    lessons = {lesson.number: lesson for lesson in needs}
    total = 0

    def summed(found: re.Match[str]) -> str:
        nonlocal total
        if not found["read"]:
            minutes, total = total, 0
            return f"In all {minutes} minutes ({round(minutes / 60)} hours)"
        read, done = ([lessons[number] for number in LINKED.findall(found[cell]) if number in lessons] for cell in ("read", "done"))
        minutes = sum(lesson.reading for lesson in read) + sum(lesson.exercise for lesson in done)
        total += minutes
        done_cell = f" {found['done']} " if done else " "
        return f"| {found['when']} | {found['read']} |{done_cell}| {minutes} |"

    return SUMS.sub(summed, page)


def new_map(page: str) -> tuple[str, str]:
    """lessons/map.svg and MAP.md, made from the pages' heads and from what MAP.md has now."""
    needs = all_needs()
    return figure(needs), with_sums(with_term(page, needs), needs)


def make_map() -> None:
    """Writes both files."""
    page = Path("MAP.md")
    drawn, text = new_map(page.read_text("utf-8"))
    Path("lessons/map.svg").write_text(drawn, "utf-8")
    page.write_text(text, "utf-8")


def other_map() -> list[str]:
    """Which of the two files is not as the pages' heads make it."""
    drawn, text = Path("lessons/map.svg").read_text("utf-8"), Path("MAP.md").read_text("utf-8")
    made = new_map(text)
    names = [name for name, found, expected in zip(("lessons/map.svg", "MAP.md"), (drawn, text), made) if found != expected]
    return [f"{name} differs (python3 tools/workbook map)" for name in names]


def main(arguments: list[str]) -> int:
    """Without an argument both files are written."""
    if arguments == ["--figure"]:
        print(figure(all_needs()), end="")
    else:
        make_map()
    return 0
