"""The output of `make` without a target: the help on one screen of 80 columns and 24 lines."""
from workbook.lessons import has_program, lesson_folders, number_of

SCREEN = """\
CUDA C workbook: write kernels, run them on a GPU or on the emulator.

  make lesson03            build it, and say what to do next
  make lesson03 run        build, run, verify on the CPU (SIZE= SEED= V=)
  make lesson03 test       its sizes, its exercise, its known mistakes
  make lesson03 sanitize   its races, barriers, memory never written (TOOL=)
  make lesson03 profile    counts memory requests, line by line (KERNEL= BASE=)
  make lesson03 view       its memory accesses as pictures (LINE= KERNEL= OUT=)
  make lesson03 ptx|sass   what the compiler made of it

  make exercise03          grade your lessons/lesson03_*/exercise.cu
  make exercise03 profile  look at it (or run, view, sanitize, ptx, sass)
  make watch               the same each time you save (make exercise03 watch)
  make hint03              a nudge, then the idea, then code (N=2, TODO=4)
  make exercise03 solution shows it once yours passes (FORCE=1: now)
  make exercise03 reset    start again (yours is kept as a backup)
  make progress            what has passed (CHECK=1 grades it again)
  make grade student-copy  for a class: TEACHING.md (OUT= STUDENT= FILE=)
  make lab                 the lessons as notebooks, in JupyterLab
  make new record format   for authors of lessons: CONTRIBUTING.md (LESSON=)
  make notebooks  execute them   make doctor  this machine
  make test  check all  make bench  time the emulator  make clean  start clean
Variables: BACKEND=auto|gpu|cpu TIMEOUT=s ARCH=sm_90 NVCC= NVCCFLAGS= NO_COLOR="""


def ranges(numbers: list[str]) -> str:
    """Any number of numbers in one line: 01-03 05 07 11b 12."""
    found: list[list[str]] = []
    for number in numbers:
        if found and number.isdecimal() and found[-1][-1] == f"{int(number) - 1:02d}":
            found[-1].append(number)
        else:
            found.append([number])
    return " ".join(run[0] if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in found)


def main(arguments: list[str]) -> int:
    """Prints the screen to stdout."""
    lessons = [number_of(folder) for folder in lesson_folders() if has_program(folder) or number_of(folder).isdecimal()]
    further = [number_of(folder) for folder in lesson_folders() if number_of(folder) not in lessons]
    print(SCREEN)
    print(f"Lessons: {ranges(lessons)} ", end="")
    print(f"and exercises {' '.join(further)} (see README.md)" if further else "(see README.md)")
    return 0
