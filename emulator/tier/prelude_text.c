/* Carries the C that the generated C of every kernel begins with (made by the build: see the Makefile). */
#include "tier/translate.h"

__asm__(".section .rodata\n"
        ".global tier_prelude\n"
        ".hidden tier_prelude\n"
        "tier_prelude:\n"
        ".incbin \"" TIER_TEXT "\"\n"
        ".byte 0\n"
        ".previous\n");
