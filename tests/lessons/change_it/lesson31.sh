# Lesson 31: the changes under "Change it", and what its page says of them (tests/lessons/change_it.test.sh).

change 1 's/json.dumps(\[source, list(flags), arch, version\])/json.dumps([source, arch, version])/'
ran V=5
answers error '--use_fast_math: expected (1, 0), found (0, 1)'

change 2 's/asked = (name, dtype, width, \*flags)/asked = (name, dtype, *flags)/'
ran V=4
answers error '3 of 4 are wrong'

change 3 's/return width if n % width == 0 and all(.*) else 1/return width if n % width == 0 else 1/'
ran V=4
answers error 'cudaErrorMisalignedAddress: misaligned address'
