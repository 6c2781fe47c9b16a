# Lesson 18: the changes under "Change it", and what its page says of them (tests/lessons/change_it.test.sh).

together 1 's|row / ROWS % PLACES|row % PLACES|' \
  2 '/mma_kernel4(struct/,/^}/{/__pipeline_wait_prior(STAGES - 2)/d}' \
  3 '/my sums are seen by whoever/d'
change 1
ran V=3 SIZE=256
ended 0
says "$(printed '/^mma_kernel3 / { print $3 }') wavefronts for a load, on average"

change 2
sanitized V=4 SIZE=256
answers error 'Unfinished copy'

change 3
sanitized V=8 SIZE=256
answers error 'Race reported'
