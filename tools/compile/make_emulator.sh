# Sourced after build/configuration: how the emulator's own Makefile is called, for the headers of the toolkit that was found.

# Sets toolkit_headers: the folder of cuda_runtime_api.h and cuda.h.
find_toolkit_headers() {
  toolkit_headers=$TOOLKIT/include
  [ -f "$toolkit_headers/cuda_runtime_api.h" ] || toolkit_headers=/usr/include
}

# make_emulator SETTINGS AND TARGETS...: in the workbook's folder; BUILD is relative to emulator/, for make bears no space in it.
make_emulator() {
  find_toolkit_headers
  "${MAKE:-make}" --no-print-directory -C emulator CUDA_MAJOR="$CUDA_MAJOR" CUDA_INCLUDE="$toolkit_headers" "$@"
}
