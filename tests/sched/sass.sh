#!/bin/sh
# Machine code of PTX, as text, for sass.py. Needs ptxas and cuobjdump or nvdisasm.
#
#   tests/sched/sass.sh OUTDIR [FILE.ptx | FOLDER]...     this folder's PTX, without judge/, when none is named
#
# Writes into OUTDIR, overwriting what is there:
#   ptxas.txt       versions, command, and of each file and kernel what `ptxas -v` says
#   sass.txt.zst    machine code without its encodings (sass.txt.gz where there is no zstd)
#   lines.txt.zst   of each machine instruction the line of PTX that it is for; empty without python3
# ARCH (default sm_90) is the target; CUDA_HOME the toolkit, when it is not under /usr/local/cuda.
set -eu
[ $# -gt 0 ] || {
  sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0" >&2
  exit 2
}
here=$(cd "$(dirname "$0")" && pwd)
PATH=$PATH:${CUDA_HOME:-/usr/local/cuda}/bin
arch=${ARCH:-sm_90}
mkdir -p "$1"
out=$(cd "$1" && pwd)
shift
[ $# -gt 0 ] || {
  cd "$here/../.." # names of files are relative to the repository
  set -- tests/sched/*.ptx
}

if command -v cuobjdump >/dev/null && command -v nvdisasm >/dev/null; then tool=cuobjdump
elif command -v nvdisasm >/dev/null; then tool=nvdisasm
elif command -v cuobjdump >/dev/null; then tool=cuobjdump
else
  echo "$0: neither cuobjdump nor nvdisasm is in PATH; they come with the CUDA toolkit (set CUDA_HOME)" >&2
  exit 1
fi
command -v ptxas >/dev/null || {
  echo "$0: ptxas is not in PATH; it comes with the CUDA toolkit (set CUDA_HOME)" >&2
  exit 1
}

disassemble() { # CUBIN
  if [ $tool = cuobjdump ]; then cuobjdump -sass "$1"; else nvdisasm -c "$1"; fi |
    sed -e 's|/\* 0x[0-9a-f]* \*/||g' -e 's/[[:space:]]*$//' -e 's/^[[:space:]]*/ /' -e '/^ *$/d'
}

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
{
  echo "# $(ptxas --version | sed -n 's/.*release.*, V\([0-9.]*\).*/ptxas \1/p'), $($tool --version |
    sed -n "s/.*release.*, V\([0-9.]*\).*/$tool \1/p")"
  echo "# ptxas -arch=$arch -O3 -v -lineinfo FILE.ptx; $tool"
} >"$out/ptxas.txt"
: >"$tmp/sass.txt"
: >"$tmp/lines.txt"

failed=0
find "$@" -name '*.ptx' | sort >"$tmp/files"
while read -r ptx; do
  if ! ptxas "-arch=$arch" -O3 -v -lineinfo -o "$tmp/one.cubin" "$ptx" >"$tmp/one.log" 2>&1; then
    echo "== $ptx: not assembled" | tee -a "$out/ptxas.txt" >&2
    cat "$tmp/one.log" >>"$out/ptxas.txt"
    failed=1
    continue
  fi
  { echo "== $ptx"; cat "$tmp/one.log"; } >>"$out/ptxas.txt"
  { echo "== $ptx"; disassemble "$tmp/one.cubin"; } >>"$tmp/sass.txt"
  ! command -v python3 >/dev/null || { echo "== $ptx"; python3 "$here/sass.py" lines "$tmp/one.cubin"; } >>"$tmp/lines.txt"
done <"$tmp/files"

for f in sass lines; do
  rm -f "$out/$f.txt.zst" "$out/$f.txt.gz"
  if command -v zstd >/dev/null; then zstd -q -19 "$tmp/$f.txt" -o "$out/$f.txt.zst"
  else gzip -9 <"$tmp/$f.txt" >"$out/$f.txt.gz"; fi
done
echo "$(wc -l <"$tmp/files") files of PTX, $(wc -l <"$tmp/sass.txt") lines of machine code in $out"
exit $failed
