# Lesson 28: the changes under "Change it", and what its page says of them (tests/lessons/change_it.test.sh).

change 1 '/^class Producer/,/^def /{/def __dlpack_device__/,/return/d}'
ran V=6
answers error 'TypeError: forward(): incompatible function arguments'

change 2 '/^def ownership5/,/^class /{/^    there.close()$/d}'
ran V=5
answers error 'bytes held by a capsule: expected [4000, 0], found [4000, 4000]'

change 3 's/_gelu\.cpython-399-x86_64-linux-gnu\.so/_gelu.so/'
ran V=2
answers error "expected \"ModuleNotFoundError: No module named '_gelu'\", found ''"
