# Lesson 35: the changes under "Change it", and what its page says of them (tests/lessons/change_it.test.sh).

change 1 '/^def build/,/^class /s/index.train(x)/index.train(x, rounds=0)/'
ran V=6
answers 0 PASS
says "$(printed '/clustered/ { inside = 1 } /uniform/ { inside = 0 } inside && $1 == 1 { print $3 " at nprobe = 1" }')"

change 2 '/def rows/,/def build/s/index.centroids = self.groups().centroids/index.train(self.x[::2])/'
ran V=4
answers error 'groups4, nprobe = 1: ids: expected True, found False'

change 3 '/^def halves7/,/^def /s/Flat(D, "float16").add(job.x)/Flat(D, "float16").add(job.x * 100000)/'
ran V=7
answers error 'ValueError: the array has a number that is NaN, or too large for fp16'
