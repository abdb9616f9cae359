#!/bin/sh
# What `make install` installs is enough to build and check the example: install.sh BUILD-FOLDER SOURCE-FOLDER
set -eu
top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT
DESTDIR=$top meson install -C "$1" --no-rebuild --quiet
pc=$(find "$top" -name weir.pc)
PKG_CONFIG_PATH=$(dirname "$pc")
export PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR="$top"
flags=$(pkg-config --cflags weir)
echo "flags: $flags"
# shellcheck disable=SC2086 # several words
cc -O2 -shared -fPIC $flags -o "$top/pc_streak.so" "$2/examples/own-policy/pc_streak.c"
"$(find "$top" -type f -name weir -perm -u+x)" check-policy "$top/pc_streak.so"
