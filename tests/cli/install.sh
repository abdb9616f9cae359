#!/bin/sh
# What `make install` installs is enough to build the example plug-ins and to use them: install.sh BUILD-FOLDER SOURCE-FOLDER
set -eu
top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT
DESTDIR=$top meson install -C "$1" --no-rebuild --quiet
pc=$(find "$top" -name weir.pc)
PKG_CONFIG_PATH=$(dirname "$pc")
export PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR="$top"
flags=$(pkg-config --cflags weir)
echo "flags: $flags"
weir=$(find "$top" -type f -name weir -perm -u+x)
for file in "$2"/examples/*/*.c; do
  grep -q '^const struct weir_policy_ops' "$file" || continue
  so=$top/$(basename "$file" .c).so
  # shellcheck disable=SC2086 # several words
  cc -O2 -Wall -Wextra -Werror -shared -fPIC $flags -o "$so" "$file"
  "$weir" list policies --plugin "$so" | tail -1
done
test -s "$(find "$top" -name weir.1)"
test -s "$(find "$top" -name weir-compare.1)"
"$weir" check-policy "$top/pc_streak.so"
