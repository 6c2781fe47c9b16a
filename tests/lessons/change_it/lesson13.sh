# Lesson 13: the changes under "Change it", and what its page says of them (tests/lessons/change_it.test.sh).

together 1 '/layernorm_kernel2(const/,/^}/s/fmaxf(block_sum(squares) \/ cols - m \* m, 0.0f);.*/block_sum(squares) \/ cols - m * m;/' \
  2 '/backward_kernel12(const/,/^}/s/live, turn);/live, 0);/'
change 1
ran V=2 SIZE=1000
ended 0
says "At m = 10000 the error becomes $(printed '/^layernorm_kernel2/ && !seen++ { print $6 }')"

change 2
sanitized V=12 SIZE=4096
answers error 'with no __syncthreads() between'

change 3 's/ROWS_EACH = 16 /ROWS_EACH = 1 /'
ran V=12 SIZE=4096
ended 0
says "from 1.25 to $(printed '/^backward_kernel12/ && NF == 6 && !seen++ { print $4 }')"
