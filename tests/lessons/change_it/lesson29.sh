# Lesson 29: the changes under "Change it", and what its page says of them (tests/lessons/change_it.test.sh).

change 1 '/^hook.call = lambda: hook$/a\
hook.call = print'
ran V=9
answers error 'HiddenHook in a circle: reports of a leak: expected 1, found 0'

change 2 '/^def owners6/,/^class /{/^    there = _gelu.to_device(x)$/a\
    keep = there.__dlpack__()
}'
ran V=6
answers error 'memory in a capsule: expected [4000, 0], found [4000, 4000]'

change 3 's/reshape(333, 3)/reshape(3, 333)/'
ran V=3
answers error 'forward_of_points(): incompatible function arguments'
answers error 'shape=(*, 3)'
