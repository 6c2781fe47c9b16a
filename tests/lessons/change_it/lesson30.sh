# Lesson 30: the changes under "Change it", and what its page says of them (tests/lessons/change_it.test.sh).

change 1 '/^@gelu.register_fake/,/return/s/, memory_format=torch.contiguous_format//'
ran V=5
case $output in
*'PyTorch 2.1'[012].*)
  ended 0
  says 'of the CPU from PyTorch 2.13 on'
  ;;
*) answers error 'opcheck of gelu: expected []' ;;
esac

change 2 '/^def gelu_backward(x/,/return/s/x, dy = x.contiguous(), dy.contiguous()/x = x.contiguous()/'
ran V=3
answers error 'autograd3, of a sum: wrong for n = 210'

change 3 '/^def keep/,/^gelu.register/{s/ctx.save_for_backward(\*inputs)/ctx.x = inputs[0]/; s/(x,) = ctx.saved_tensors/x = ctx.x/;}'
ran V=3
answers 0 PASS
