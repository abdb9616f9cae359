#!/bin/sh
# weir record and weir trace from the outside.   wtrace_cli.sh WEIR
set -eu
weir=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail() {
  echo "$*" >&2
  exit 1
}
# expect CODE TEXT COMMAND...: the exit code, and a text somewhere in the output
expect() {
  code=$1 text=$2 got=0
  shift 2
  "$@" >"$dir/out" 2>&1 || got=$?
  [ "$got" -eq "$code" ] || { cat "$dir/out" >&2; fail "exit code $got instead of $code: $*"; }
  grep -qF -- "$text" "$dir/out" || { cat "$dir/out" >&2; fail "no '$text': $*"; }
}
f=$dir/v.wtrace
expect 0 'per warp instruction' "$weir" record -o "$f" vecadd --input test
[ "$(find "$dir" -name '.weir-*')" = "" ] || fail "a temporary file is left"
expect 0 '45,056' "$weir" trace info "$f"
expect 0 'vecadd, input test' "$weir" trace info "$f"
expect 0 '256x1x1' "$weir" trace kernels "$f"
expect 0 'global 4x 0x7f0000080400 +4' "$weir" trace head "$f" -n 22
expect 0 'block 255, warp 7: 22 instructions' "$weir" trace head "$f" -b 255 -w 7
expect 0 'sound: 1 kernel launch, 45,056 warp instructions' "$weir" trace verify "$f"
# The same bytes every time.
"$weir" record -q -o "$dir/again.wtrace" vecadd --input test
cmp "$f" "$dir/again.wtrace"
# Barriers: from registers, with counts, arriving.
"$weir" record -q -o "$dir/b.wtrace" simt/named_barriers
expect 0 'barrier 2 of 2 warps' "$weir" trace head "$dir/b.wtrace" -w 2
expect 0 'barrier 4 of 4 warps, arrives' "$weir" trace head "$dir/b.wtrace" -n 100
"$weir" replay -q "$dir/b.wtrace" --gpu fermi-s3 --json "$dir/replayed"
"$weir" run simt/named_barriers --gpu fermi-s3 --json "$dir/run" >"$dir/out"
cycles() { grep -m 1 '"cycles"' "$1" | tr -dc 0-9; }
[ "$(cycles "$dir/run")" = "$(cycles "$dir/replayed")" ] || fail "a recording is timed differently"
expect 2 'has no block 256' "$weir" trace head "$f" -b 256
expect 2 'no kernel 1' "$weir" trace head "$f" -k 1
expect 2 '8 warps' "$weir" trace head "$f" -w 8
expect 2 "did you mean 'verify'" "$weir" trace verfy "$f"
expect 2 'truncated' sh -c "head -c 300 '$f' >'$dir/t.wtrace'; exec '$weir' trace info '$dir/t.wtrace'"
expect 2 'not a .wtrace' "$weir" trace info "$0"
expect 2 'Give -o' "$weir" record vecadd
expect 2 'from 1 to 19' "$weir" record -o "$f" -l 20 vecadd
expect 2 'opcode-class goes with' "$weir" record -o "$f" --opcode-class A=int vecadd
expect 2 'there is no' "$weir" record -o "$dir/x.wtrace" vecad
[ ! -e "$dir/x.wtrace" ] || fail "a failed recording left a file"
