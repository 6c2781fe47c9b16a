# Lesson 27: the changes under "Change it", and what its page says of them (tests/lessons/change_it.test.sh).

change 1 's/library.gelu_error.argtypes, library.gelu_error.restype = \[c_int\], c_char_p/library.gelu_error.argtypes = [c_int]/'
ran V=5
answers error "'int' object has no attribute 'decode'"

change 2 '/def of(cls, x)/,/return made/s/np.ascontiguousarray/np.asarray/'
ran V=4
answers error 'x[::2] copied together: wrong for n = 500'

change 3 '/^        gelu.gelu_release()$/{n;d}'
ran V=7
answers 0 PASS
