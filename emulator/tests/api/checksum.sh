# Sourced: checksum SOURCE prints a checksum of a source without its comments and its white space.
checksum() {
  sed 's|//.*||' "$1" | tr -d ' \t\n' | sed -E 's:/\*([^*]|\*+[^*/])*\*+/::g' | cksum | tr ' ' -
}
