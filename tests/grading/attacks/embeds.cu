asm(".incbin \"FILE\"");
