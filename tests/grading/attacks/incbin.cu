/* Each of these files would be in the object, and what the program prints of it in the feedback. The assembler names those that it does not find. */
asm(".incbin \"common/check.h\""); // which it does
asm(".incbin \"" SOLUTION "\"");
asm(".incbin \"solutions/lesson01_threads/solution.cu\"");
asm(".incbin \"../../solutions/lesson01_threads/solution.cu\"");
asm(".incbin \"build/graders/planted.so\"");
asm(".incbin \"" PROJECT "/build/graders/planted.so\"");
asm(".incbin \"" OTHER "\"");
asm(".incbin \"/etc/passwd\"");
asm(".incbin \"" KEY "\"");
asm(".incbin \"lessons/lesson01_threads/grader.cpp\"");
