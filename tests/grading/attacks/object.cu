// An object of 100 GB.
asm(".data\n.zero 100000000000\n.text");
