# Lesson 25: the changes under "Change it", and what its page says of them (tests/lessons/change_it.test.sh).

change 1 's/tile\[TILE\]\[TILE + 1\]/tile[TILE][TILE + 2]/'
ran V=3
ended 0
says "$(printed '/^pipeline3 / { print $5 }') on average"

change 2 's/enum { LOADS = 8 }/enum { LOADS = 1 }/'
ran V=5
ended 0
says "to $(printed '/^pipeline5 / { print $7 }'), on average of all kernels, and a sample takes $(printed '/^pipeline5 / { print $2 }') instructions"

change 3 '/static void pipeline5/,/^}/{/wait_for/d;}'
ran V=5
ended 0
says "$(printed '/^pipeline5 / { print $9 }') times: once for each frame"
