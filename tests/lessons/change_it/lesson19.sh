# Lesson 19: the changes under "Change it", and what its page says of them (tests/lessons/change_it.test.sh).

together 1 '/load_tiles(bf16/,/^}/s|(BM \* BK + BK \* BN) \* sizeof|2 * (BM * BK + BK * BN) * sizeof|' \
  4 's|enum { BLOCKS = 2 };|enum { BLOCKS = 4 };|'
change 1
ran V=3 SIZE=264
answers error 'Threads wait for a phase of an mbarrier that never ends'
answers error '32768 are missing'

together 2 '/hopper_kernel3(struct/,/^}/{/wgmma_wait<0>/d}' \
  3 '/void store_box(/,/^}/{/proxy_fence/d}'
change 2
sanitized V=3 SIZE=264
answers error 'Unfinished wgmma reported between Read access'
answers error 'may still use it: its group has not been waited for'
answers error 'the same as above, in a later launch'
# What the page quotes of this under "When it goes wrong": its places in hopper.h and in the program.
places() { plain_text | grep -oE '[^ ]*hopper\.h:[0-9]+( \(called in lines? [0-9, ]+\))?' | sort -u; }
printf '%s\n' "$output" | places >"$scratch/reported"
sed -n '/^Error: Unfinished wgmma/,/^```/p' "$page" | places >"$scratch/quoted"
if [ "$(wc -l <"$scratch/quoted")" -ge 3 ] && [ -z "$(comm -13 "$scratch/reported" "$scratch/quoted")" ]; then
  pass "$what: the places that the page quotes are reported"
else
  no "$what: the places that the page quotes are reported" "$(comm -13 "$scratch/reported" "$scratch/quoted" | tr '\n' ';') is not" && show_output
fi

change 3
sanitized V=5 SIZE=264
answers error 'Missing fence.proxy.async'

change 4
ran V=7 SIZE=512
ended 0
says "$(printed '/^hopper_kernel7 / { print $4 }') times"
