#!/bin/sh
# `make install PREFIX=` counts in a folder that was configured before: prefix.sh SOURCE-FOLDER
# Programs that only say what they were asked for stand in for Meson and Ninja.
set -eu
unset PREFIX MAKEFLAGS MAKELEVEL MFLAGS WEIR_WERROR
top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT
mkdir "$top/bin" "$top/build"
for tool in meson ninja; do
  # shellcheck disable=SC2016 # for the script that is written
  printf '#!/bin/sh\necho %s "$@" >> %s/log\n' "$tool" "$top" > "$top/bin/$tool"
  chmod +x "$top/bin/$tool"
done
touch "$top/build/build.ninja"
echo '#define WEIR_INSTALL_DATA "/usr/local/share/weir"' > "$top/build/weir_build.h"
expect() { # the calls of Meson and Ninja, then the arguments of make
  expected=$1
  shift
  rm -f "$top/log"
  PATH=$top/bin:$PATH make --no-print-directory -C "$SOURCE" BUILD="$top/build" "$@" install > "$top/said" # no terminal
  actual=$(sed "s|$top|TOP|g" "$top/log" | tr '\n' ';')
  [ "$actual" = "$expected" ] || {
    echo "make install $*: expected $expected, got $actual" >&2
    exit 1
  }
}
SOURCE=$1
built='ninja -C TOP/build --quiet;meson install -C TOP/build;'
expect "$built"
expect "$built" PREFIX=/usr/local
expect "meson configure TOP/build -Dprefix=/opt/weir;$built" PREFIX=/opt/weir
expect "meson configure TOP/build -Dprefix=/usr;$built" PREFIX=/usr
expect "meson configure TOP/build -Dprefix=TOP/there;$built" "PREFIX=$top/x/../there"
rm "$top/build/build.ninja"
expect "meson setup TOP/build --prefix=/usr/local;$built" PREFIX=/usr/local
