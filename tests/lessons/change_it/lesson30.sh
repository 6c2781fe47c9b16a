# Lesson 30: the changes under "Change it", and what its page says of them (tests/lessons/change_it.test.sh).

change 1 '/^def check/,/raise/s/if code:/if code and False:/'
ran V=2
answers error "a length of -1: expected 'invalid argument', found 'nothing'"
