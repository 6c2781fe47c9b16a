# Lesson 22: the changes under "Change it", and what its page says of them (tests/lessons/change_it.test.sh).

together 1 '/^static void pipeline3/,/^}/s/c % SLOTS/c % 2/' \
  2 '/^static void pipeline4_in/,/^}/{
  /if (used) { \/\/ ... and/,/^        }/d
}'
change 1
ran V=3
ended 0
says "$(printed '$1 == "pipeline3" && NF == 6 { print $3 " steps instead of 18" }')"

change 2
sanitized V=4
answers error 'Race reported between Write access at mix_kernel'
answers error 'nothing orders the copy and the launch'

together 3 '/^static void pipeline3/,/^}/s/m->out\[s\], m->stream\[s\]);/m->out[s], 0);/' \
  4 '/^static void pipeline7/,/^}/s/job->graph/m->graph/'
change 3
sanitized V=3
answers error 'Race reported between Read access at mix_kernel'

change 4
ran V=7
answers error 'This memory has been freed'
