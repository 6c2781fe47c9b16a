# Lesson 16: the changes under "Change it", and what its page says of them (tests/lessons/change_it.test.sh).
wavefronts() { printed "/^sgemm_kernel$1 / { print \$NF }"; }

program=$scratch/as_it_is what="lesson16 as it is"
sh tests/lessons/built.sh 16 "$program" >"$scratch/log"
ran V=5 SIZE=256
padded=$(wavefronts 5)
ran V=9 SIZE=260
guarded=$(printed '/^sgemm_kernel9 / { print $2 }')

together 1 '/sgemm_kernel5(int/,/^}/s/PAD = 4/PAD = 0/' \
  2 '/sgemm_kernel7(int/,/^}/{/__syncthreads/d}' \
  3 '/sgemm_kernel8(int/,/^}/s/__pipeline_wait_prior(STAGES - 2)/__pipeline_wait_prior(STAGES - 1)/' \
  4 '/^static __device__ void copy\(4\|16\)_or_0/,/^}/{/if (inside)/d;s/sizeof(float4\{0,1\})/&, inside ? 0 : &/;/else/,/0.0f/d;/^    }/d;}'
change 1
ran V=5 SIZE=256
says "$(wavefronts 5) wavefronts instead of $padded"

change 2
sanitized V=7 SIZE=256
answers error 'return *(const float4 *)from;'
answers error 'Race reported'

change 3
ran V=8 SIZE=256
ended 0
sanitized V=8 SIZE=256
answers error 'Unfinished copy'

change 4
ran V=9 SIZE=260
ended 0
says "$guarded per multiply-add before, $(printed '/^sgemm_kernel9 / { print $2 }') after"
