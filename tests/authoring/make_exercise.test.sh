#!/bin/sh
# tools/make_exercise: what it copies, what it replaces, and what it refuses with the line's number.
# quick
set -eu
cd "$(dirname "$0")/../.."
. tests/check.sh
make_scratch
sh tools/compile/build_tool.sh make_exercise
generator=$PWD/build/tools/make_exercise
cd "$scratch"

cat >good.cu <<'END'
before
    //> TODO 1: compute the index.
    //> It goes on here.
    //| int i = 0;
    //|
    //|     if (deeper)
    int i = solution;
    //<
between // TODO is a word here
//> TODO 2: more
removed
//<
END
cat >expected.cu <<'END'
before
    // TODO 1: compute the index.
    // It goes on here.
    int i = 0;

        if (deeper)
between // TODO is a word here
// TODO 2: more
END
"$generator" good.cu >found.cu
if diff expected.cu found.cu >difference; then
  pass "gaps are replaced, the rest is copied"
else
  no "gaps are replaced, the rest is copied" "$(head -n 5 difference | tr '\n' ' ')"
fi

refuse() { # NAME TEXT PATTERN
  printf "$2" >bad.cu
  capture "$generator" bad.cu
  expect "refused: $1" 1 "$3"
}
refuse "a gap that is never closed" 'a\n//> TODO 1: x\nb\n' 'bad\.cu:3: the gap from line 2 is never closed'
refuse "an end without a gap" 'a\n//<\n' "bad\\.cu:2: '//<' outside a gap"
refuse "a given line without a gap" 'a\n  //| x\n' "bad\\.cu:2: '//\\|' outside a gap"
refuse "a gap in a gap" '//> TODO 1: x\na\n//> TODO 2: y\n//<\n' 'bad\.cu:3: a gap opens inside the one from line 1'
refuse "a number left out" '//> TODO 2: x\n//<\n' 'bad\.cu:1: this is TODO 2, but the next number is 1'
refuse "a gap without TODO" '//> do it\n//<\n' "bad\\.cu:1: a gap opens with"
refuse "a file without a gap" 'a\nb\n' 'there is no gap'
capture "$generator" nowhere.cu
expect "a file that is not there" 2 'nowhere\.cu'
