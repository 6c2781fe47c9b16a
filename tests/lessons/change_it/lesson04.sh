# Lesson 04: the changes under "Change it", and what its page says of them (tests/lessons/change_it.test.sh).

change 1 '/blur_kernel2(const/,/^}/s/if (x < s.width && y < s.height) {/if (x < s.width) {/'
ran V=2 SIZE=1 EMULATOR_THREADS=1 # with one, the blocks run in their order
answers error 'by thread (0,3,0) in block (0,0,0)'
answers error 'Invalid __global__ write'

change 2 's/BLOCK_X = 32, BLOCK_Y = 8/BLOCK_X = 1, BLOCK_Y = 256/'
ran SIZE=512
ended 0
says "version 2 stores $(printed '$1 == "blur_kernel2" { print $4 }') sectors"
says "is made of \`threadIdx.y\`, stores $(printed '$1 == "blur_kernel3" { print $4 }')."

change 3 's/sum += row\[clamp(x + i, s.width)\];/sum += row[clamp(x + i, s.pitch)];/'
ran V=2 SIZE=33
answers error '126 of 2079 are wrong'
says "from index $(printed '$3 == "nan" { print $1; exit }') on"
