#!/bin/sh
# The texts hold together: links lead somewhere, lessons that do not exist are called planned, "Read next" names the next that exists, a
# lesson's minutes are those of the formula wherever they are stated, no sitting is too long, the glossary's words are defined where they are first
# used, and words that the project has replaced do not come back. tests/texts has the checks.
# quick
set -eu
cd "$(dirname "$0")/.."
exec python3 -B tests/texts
