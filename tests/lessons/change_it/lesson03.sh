# Lesson 03: the changes under "Change it", and what its page says of them (tests/lessons/change_it.test.sh).

change 1 's/return x <= 0.0f ? 0.0f : x;/return fmaxf(x, 0.0f);/'
ran SIZE=1
answers error '10 of 10 comparisons with the CPU reference failed'
says "All of them, at index $(printed '$2 == "nan" { print $1; exit }')"

change 2 '/relu_kernel1(const/,/^}/s/if (i < n) {/{/'
ran
answers error 'by thread (1,0,0) in block (0,0,0)'
says "$(printed '/^=========/ && /an allocation of 1 elements of 4 bytes/ { print "n = 1:" }')"

change 3 '/^static void relu4/,/^}/s/if (!aligned_for_float4(x) || !aligned_for_float4(y))/if (false)/'
ran SIZE=1
ended 0
ran SIZE=3
ended 0
ran
answers error 'is misaligned'
ran SIZE=31
answers error 'is misaligned'
