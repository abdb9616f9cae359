#!/bin/sh
# Writes libFuzzer's dictionary of PTX words, from the tables of the instruction set.
set -eu
cd "$(dirname "$0")/../../src/ptx"
entry() { # stdin: words, one a line; $1: what stands in front of each
  sed 's/["\\]/\\&/g; s/^/"'"$1"'/; s/$/"/'
}
column() { # $1: macro, $2: file
  sed -n 's/^'"$1"'([a-zA-Z0-9_]*, "\([^"]*\)".*/\1/p' "$2"
}
column PTX_OP ops.def | entry ''
column PTX_MOD mods.def | entry '.'
column PTX_SREG sregs.def | entry ''
tr ' ' '\n' <<'EOF' | entry ''
.version .target .address_size .visible .extern .weak .common .entry .func .noreturn .reg .param
.align .ptr .b8 .maxntid .reqntid .minnctapersm .maxnreg .maxnctapersm .pragma .file .loc .section
.branchtargets .calltargets .callprototype .alias .attribute(.managed) function_name inlined_at
generic( 0xff( 0f3f800000 0d3ff0000000000000 @%p0 @!%p1 %r<8> {%r1,%r2} [%rd1+8] _ WARP_SZ sm_90
EOF
