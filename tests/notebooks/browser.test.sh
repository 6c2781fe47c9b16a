#!/bin/sh
# Lesson 03's notebook in JupyterLab, in a real browser (Debian's chromium, headless): what a student does and what the page shows
# then, in the light and in the dark theme. The screenshots stay in build/tests/screenshots. See browser.py.
set -eu
cd "$(dirname "$0")/../.."
. tests/check.sh

chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
if [ -z "$chromium" ]; then
  skip "browser" "there is no chromium (sudo apt-get install chromium)"
  exit 0
fi
need_jupyterlab "browser"

wanted=tests/notebooks/requirements.txt
packages=build/tests/browser
if ! cmp -s "$wanted" "$packages/made_from"; then
  rm -rf "$packages"
  capture .venv/bin/python -m pip install --quiet --disable-pip-version-check --target "$packages" -r "$wanted"
  if [ "$status" != 0 ]; then
    no "browser: Playwright is installed" "it cannot be"
    show_output
    exit 0
  fi
  cp "$wanted" "$packages/made_from"
fi

mkdir -p build/tests/screenshots
rm -f build/tests/screenshots/*.png
export BACKEND=cpu PYTHONPATH="$packages"
.venv/bin/python tests/notebooks/browser.py notebooks/lesson03_relu.ipynb build/tests/screenshots "$chromium"
