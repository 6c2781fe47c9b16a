# drops.awk idioms.cu: a program in which each wait and each fence of the kernels is left out once. `PROGRAM list` names them, a line
# each: number, line of idioms.cu; `PROGRAM N` runs the kernel without the Nth.
function is_wait(line) {
  return line !~ /not seen/ && line ~ /__sync|\.sync\(|__threadfence|cg::wait|__pipeline_wait|arrive_and_wait|\.wait\(|pipe\./
}
/^__global__/ { kernel++; first[kernel] = NR; name[kernel] = $3; sub(/\(.*/, "", name[kernel]) }
/^#define RUN/ { last = NR }
/^ *RUN\(/ { call = $0; sub(/^ *RUN\(/, "", call); run = call; sub(/,.*/, "", run); calls[run] = $0 }
{ text[NR] = $0 }
END {
  first[kernel + 1] = last
  for (i = 1; i < first[1]; i++) { sub(/"run_case.h"/, "\"tests/check/run_case.h\"", text[i]); print text[i] }
  for (; text[i] !~ /^#define RUN/; i++) continue
  for (; text[i] != ""; i++) print text[i]
  for (k = 1; k <= kernel; k++)
    for (i = first[k]; i < first[k + 1]; i++) {
      if (!is_wait(text[i])) continue
      at[++drops] = i
      print "namespace drop_" drops " {"
      for (j = first[k]; j < first[k + 1]; j++) print j == i ? ";" : text[j]
      print "static void run(int *x, int *y, int *z) {\n(void)x, (void)y, (void)z;\n" calls[name[k]] "\n}\n}"
    }
  print "int main(int argc, char **argv) {"
  print "int n = argc > 1 ? atoi(argv[1]) : 0, *x = device_array<int>(1024), *y = device_array<int>(1024), *z = device_array<int>(3);"
  print "cudaMemset(x, 1, 4096), cudaMemset(y, 0, 4096), cudaMemset(z, 0, 12);"
  for (d = 1; d <= drops; d++) print "if (n == " d ") drop_" d "::run(x, y, z); else if (!n) printf(\"" d " " at[d] "\\n\");"
  print "return 0;\n}"
}
