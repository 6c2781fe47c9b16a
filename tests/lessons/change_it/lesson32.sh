# Lesson 32: the changes under "Change it", and what its page says of them (tests/lessons/change_it.test.sh).

change 1 '/^def life3/,/^def /s/^    del first$/    pass/'
ran V=3
answers error 'expected [(4, 0, 0), (4, 0, 6), (4, 2, 6)], found [(4, 0, 0), (4, 0, 6), (4, 0, 6)]'

change 2 's/imports=((DOMAIN, 1),)/imports=((DOMAIN, 7),)/'
ran V=2
answers 0 PASS

change 3 '/^def make_model/,/^def /s/\[None\] \* len(shape)/[5] * len(shape)/'
ran V=5
answers error "expected ['batch', 'words', 768], found [None, None, None]"
