"""browser.py NOTEBOOK SCREENSHOTS CHROMIUM: performs in JupyterLab, in a real browser, a student's steps in lesson 03, and
checks the page. Prints `ok NAME` or `not ok NAME: why` for each check; screenshots of each step go to SCREENSHOTS.
"""

import re
import shutil
import sys
import tempfile
from pathlib import Path

from lab import Lab
from playwright.sync_api import Error, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
CONTRAST = Path(__file__).with_name("contrast.js").read_text()
LIMIT = 120_000  # milliseconds for one cell
WIDTH, HEIGHT = 1280, 1400
PROMPT = ".jp-InputPrompt"


def check(name, good, why=""):
    print(f"ok {name}" if good else f"not ok {name}: {why}", flush=True)
    return good


class Page:
    """A notebook in the browser."""

    def __init__(self, page, folder):
        self.page, self.folder = page, folder

    def open(self, address):
        self.page.goto(address)
        self.page.wait_for_selector(".jp-NotebookPanel .jp-CodeCell .cm-content", timeout=LIMIT)
        self.page.wait_for_selector("[data-status=idle]", timeout=LIMIT)
        self.page.wait_for_selector(".jp-RenderedMarkdown img", timeout=LIMIT)
        self.wait(lambda: not self.missing_figures(), 5000)

    def missing_figures(self):
        images = "[...document.querySelectorAll('.jp-RenderedMarkdown img')]"
        return self.page.evaluate(images + ".filter(image => !image.naturalWidth).map(image => image.src)")

    def cell(self, text):
        """The first code cell with that text in its source."""
        return self.page.locator(".jp-CodeCell", has=self.page.locator(".jp-InputArea-editor", has_text=text)).first

    def source(self, cell):
        return cell.locator(".cm-content").evaluate("e => e.cmTile?.view?.state.doc.toString() ?? e.cmView.view.state.doc.toString()")

    def edit(self, cell, old, new):
        """Replaces the cell's text with a version in which `new` replaces `old`, as by selecting all and pasting."""
        source = self.source(cell)
        assert source.count(old) == 1, f"{old!r} is {source.count(old)} times in the cell"
        cell.locator(".cm-content").click(position={"x": 5, "y": 5})
        self.page.keyboard.press("Control+A")
        self.page.keyboard.insert_text(source.replace(old, new))

    def run(self, cell):
        """Runs it and returns the text of its output; the prompt shows a star until it is done, then a number."""
        before = self.prompt(cell)
        for _ in range(5):  # a key pressed while the page is still busy is lost
            cell.locator(".cm-content").click(position={"x": 5, "y": 5})
            self.page.keyboard.press("Control+Enter")
            if self.wait(lambda: self.prompt(cell) != before, 3000):
                break
        if not self.wait(lambda: self.prompt(cell) not in (before, "[*]:"), LIMIT):
            raise Error("the cell does not end")
        self.page.wait_for_timeout(300)
        output = cell.locator(".jp-Cell-outputArea")
        return output.inner_text() if output.count() else ""

    def prompt(self, cell):
        return cell.locator(PROMPT).first.inner_text().strip()

    def wait(self, condition, milliseconds):
        for _ in range(milliseconds // 100):
            if condition():
                return True
            self.page.wait_for_timeout(100)
        return False

    def picture(self, cell, name):
        """Content outside of the window is not drawn, so the window is made as tall as the cell."""
        box = cell.bounding_box()
        self.page.set_viewport_size({"width": WIDTH, "height": max(HEIGHT, int(box["height"]) + 200)})
        cell.scroll_into_view_if_needed()
        self.page.wait_for_timeout(300)
        cell.screenshot(path=self.folder / f"{name}.png")
        self.page.set_viewport_size({"width": WIDTH, "height": HEIGHT})


def expect(name, text, *patterns):
    missing = [pattern for pattern in patterns if not re.search(pattern, text, re.MULTILINE)]
    if not check(name, not missing, f"the page lacks {missing}"):
        print("\n".join(f"    | {line}" for line in text.split("\n")[:30]))


def student(page):
    """The steps, in their order; each cell's output stays on the page."""
    expect("browser: the first cell says who runs the kernels", page.run(page.cell("start.py")), r"(?i)emulator|GPU")
    page.picture(page.cell("start.py"), "1-start")

    check("browser: nothing pops up over the page", not page.page.locator(".Toastify__toast").count(), "something does")
    kernel = page.cell("__global__ void relu_kernel1(")
    numbers = kernel.locator(".cm-lineNumbers .cm-gutterElement").all_inner_texts()
    check("browser: cells show line numbers, from 1 on", "1" in numbers and "2" in numbers, f"they show {numbers[:5]}")
    language = kernel.locator(".cm-content").get_attribute("data-language")
    check("browser: a %%nvcc cell is coloured as C++", language in ("cpp", "c++", "C++"), f"it is coloured as {language}")
    text = page.run(kernel)
    page.picture(kernel, "2-good")
    expect("browser: a good cell verifies and counts", text, r"^relu_kernel1 ", r"^PASS: relu")

    page.edit(kernel, "y[i] = relu(x[i])", "y[i] = rely(x[i])")
    text = page.run(kernel)
    page.picture(kernel, "3-compile-error")
    line = page.source(kernel).split("\n").index("        y[i] = rely(x[i]);") + 1
    expect("browser: a compile error shows the student's line", text, r"rely", rf"\b{line}\b", r"\^", r"CompileError")
    check("browser: a compile error shows no traceback", "Traceback" not in text, "Traceback")

    page.edit(kernel, "rely(x[i])", "relu(x[i])")
    page.edit(kernel, "if (i < n) {", "if (true) {")
    text = page.run(kernel)
    page.picture(kernel, "4-out-of-bounds")
    expect("browser: an access out of bounds names line and thread", text, r"Invalid __global__ (read|write)", r"relu_kernel1",
           rf"cell\.cu:{line}", r"thread \(\d+,0,0\)")  # fmt: skip

    listing = page.cell("--ptx=")
    page.run(listing)
    page.picture(listing, "8-ptx")
    first = listing.locator(".jp-Cell-outputArea details[open] div", has_text="ld.param").last.bounding_box()
    check("browser: PTX is in sight", first and first["x"] < WIDTH / 2, f"it begins at {first}")

    exercise = page.cell("--grade 03")
    text = page.run(exercise)
    cut = exercise.locator(".jp-Cell-outputArea pre").evaluate_all("all => all.filter(e => e.scrollWidth > e.clientWidth + 1).length")
    check("browser: what the grader says is not cut at the right", cut == 0, f"{cut} texts are")
    page.picture(exercise, "7-exercise")
    expect("browser: the exercise as given does not pass, and says why", text, r"not_implemented", r"NotPassed")

    profile = page.cell("--profile")
    text = page.run(profile)
    page.picture(profile, "5-profile")
    expect("browser: a profile counts", text, r"relu_kernel1", r"(?i)sectors", r"(?i)instructions")

    view = page.cell("--view")
    page.run(view)
    page.picture(view, "6-view")
    pictures = [p.bounding_box() for p in view.locator(".jp-Cell-outputArea svg, .jp-Cell-outputArea img").all()]
    large = [box for box in pictures if box and box["width"] > 200 and box["height"] > 50]
    check("browser: a picture is drawn", large, f"{len(pictures)} pictures, none that one can see")


def looks(page, theme):
    """The requirements in each theme: figures are shown, nothing is unreadable."""
    broken = page.missing_figures()
    count = page.page.locator(".jp-RenderedMarkdown img").count()
    check(f"browser: the page's figures are there, {theme}", count and not broken, f"{count} figures, broken: {broken}")
    poor = []
    for output in page.page.locator(".jp-Cell-outputArea").all():
        poor += output.evaluate(CONTRAST)
    check(f"browser: outputs are readable, {theme}", not poor, "; ".join(poor[:8]))
    for name in ("__global__ void relu_kernel1(", "--profile", "--view", "--grade 03"):
        page.picture(page.cell(name), f"{theme}-{re.sub(r'[^a-z0-9]+', '-', name).strip('-')}")
    page.page.locator(".jp-RenderedMarkdown img").first.scroll_into_view_if_needed()
    page.page.screenshot(path=page.folder / f"{theme}-window.png")


def both_themes(page, lab, address):
    page.open(address)
    student(page)
    looks(page, "light")
    page.page.keyboard.press("Control+S")
    page.page.wait_for_timeout(1500)
    lab.set_theme("JupyterLab Dark")
    page.open(address)
    looks(page, "dark")


def main(notebook, screenshots, chromium):
    screenshots = Path(screenshots)
    screenshots.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix="browser-"))
    # JupyterLab saves the files that it opens, so it gets a copy. The copy has no other files: the figures are embedded.
    (scratch / "work" / "notebooks").mkdir(parents=True)
    shutil.copy(notebook, scratch / "work" / "notebooks")
    lab = Lab(scratch / "work", scratch, {"WORKBOOK": str(ROOT), "PROGRESS_FILE": str(scratch / "progress.txt")})
    address = f"{lab.address}lab/tree/notebooks/{Path(notebook).name}?token={lab.token}"
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-dev-shm-usage"])
            page = Page(browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}), screenshots)
            try:
                both_themes(page, lab, address)
            except Error:
                page.page.screenshot(path=screenshots / "failure.png")
                raise
            finally:
                browser.close()
    finally:
        lab.stop()
        shutil.rmtree(scratch, ignore_errors=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
