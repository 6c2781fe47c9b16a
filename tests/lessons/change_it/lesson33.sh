# Lesson 33: the changes under "Change it", and what its page says of them (tests/lessons/change_it.test.sh).

change 1 '/^def gelu_kernel1/,/^$/s/\(tl.store(.*\), mask=inside)/\1)/'
sanitized V=1 SIZE=1000
answers error 'Invalid __global__ write of size 16 bytes'

change 2 '/^def softmax_kernel/,/^$/s/ - tl.max(v, axis=0)//'
ran V=5
answers 0 PASS

change 3 's/tl.dot(left, right, sums)/tl.dot(left, right, sums, input_precision="ieee")/; s/(np.float32, 2.0\*\*-10)/(np.float32, 2.0**-22)/'
ran V=6
answers 0 PASS
