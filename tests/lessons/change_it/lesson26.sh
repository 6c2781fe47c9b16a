# Lesson 26: the changes under "Change it", and what its page says of them (tests/lessons/change_it.test.sh).

together 1 '/^    meet(p); \/\/ all sums are written/d' \
  3 '/oneshot_kernel4(struct peers/,/^}/{
  s/p.x\[0\]/p.x[p.me]/
  s/p.x\[d\]/p.x[(p.me + d) % p.count]/
}'
change 1
sanitized V=7 SIZE=1000
answers error 'Race reported'

change 2 's/st.release.sys/st.relaxed.sys/'
sanitized V=5 SIZE=1000
answers error 'Race reported between Write access'

change 3
ran V=4 SIZE=1000
answers error 'are wrong'
