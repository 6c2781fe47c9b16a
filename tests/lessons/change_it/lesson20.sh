# Lesson 20: the changes under "Change it", and what its page says of them (tests/lessons/change_it.test.sh).

# A copy of one of the lesson's headers with a change of its own, which the program includes in the place of the header.
header() {
  sed "$2" "$folder/$1" >"$scratch/$1"
  if cmp -s "$scratch/$1" "$folder/$1"; then no "$lesson, $1" "the text to replace was not found"; fi
}

change 1 's/factor\[i\] = exp2_fast(.*;/factor[i] = 1.0f;/'
ran V=2
answers error 'attention_kernel2, 1 x 2 heads (1 of K and V), 200 queries, 200 keys, causal: wrong'

change 2 '/^static __device__ int keys_for/,/^}/s/return .*;/return p.s.keys;/'
ran V=3 SIZE=256
ended 0
says "$(printed '/causal/ { causal = 1 } causal && /^attention_kernel3 / { printf "%.0f", $4 }') KiB"

header backward.h 's/(x - delta);/(x - 0 * delta);/'
header decode.h 's/float share = exp2_fast(logsum.*;/float share = 1;/'
together 3 '/proxy_fence();/d' \
  5 "s|\"backward.h\"|\"$scratch/backward.h\"|" \
  6 "s|\"decode.h\"|\"$scratch/decode.h\"|"
change 3
sanitized V=4 SIZE=100
answers error 'Missing fence.proxy.async reported'

change 4 '/wgmma_wait<1>();/d'
sanitized V=5 SIZE=300
answers error 'Unfinished wgmma'

change 5
ran V=7
answers error 'dK'

change 6
ran V=8
answers error 'decode_kernel3'
