# Lesson 21: the changes under "Change it", and what its page says of them (tests/lessons/change_it.test.sh).

row() { printed "\$1 == \"$1\" && NF >= 12 { $2 }"; }

together 1 '/^static __global__ void __launch_bounds__(SORT_BLOCK, 2)/s/, 2)/, 6)/' \
  2 's/^enum { TILE = 1024 }/enum { TILE = 4096 }/'
change 1
ran V=8 SIZE=1000
ended 0
says "$(row sort_kernel8 'print $3 " registers, " $9 " blocks, " $10 " %"')"
profiled=$(env V=8 SIZE=50000 sh tools/actions/profile.sh "$program" 2>/dev/null | sed -n 's/.*Registers that did not fit.*byte *\([0-9]*\),.*/\1/p')
says "It costs $profiled bytes of spill stores"

change 2
ran V=5 SIZE=5000
ended 0
says "$(row tile_kernel5 'print $9 " blocks, limited by " $11')"
says "room for $(row tile_kernel5 'print $7') blocks by shared memory and for $(row tile_kernel5 'print $6') by registers"

change 3 's/^enum { SORT_BLOCK = 256 }/enum { SORT_BLOCK = 1024 }/'
ran V=8 SIZE=1000
ended 0
says "$(row sort_kernel8 'print $3 " registers, " $9 " blocks, " $10 " %"')"
