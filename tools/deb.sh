#!/bin/sh
# A Debian package of the last commit: out/weir_VERSION_ARCH.deb
#   tools/deb.sh            build it, and let lintian look at it
#   tools/deb.sh --check    and install and run it in a clean root made of this machine's own package sources
# DEB_BUILD_OPTIONS=nocheck leaves out the tests.
set -eu
cd "$(dirname "$0")/.."
tools/bootstrap.sh deb
tools/dist.sh
version=$(git show HEAD:meson.build | sed -n "s/^  version: '\(.*\)',\$/\1/p")
out=$PWD/out
date=$(git log -1 --format=%cD)
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT
tar -xf "$out/weir-$version.tar.xz" -C "$top"
(
  cd "$top/weir-$version"
  {
    printf 'weir (%s) unstable; urgency=medium\n\n' "$version"
    printf '  * Version %s; see CHANGELOG.md.\n\n' "$version"
    printf ' -- The weir authors <weir@localhost>  %s\n' "$date"
  } >debian/changelog
  # A tool from elsewhere, such as a newer Meson, counts as the package: tools/bootstrap.sh looks for programs.
  export DEB_BUILD_OPTIONS="${DEB_BUILD_OPTIONS:-} noautodbgsym"
  # Debian's own python3 first: what is installed must run with it.
  PATH=/usr/bin:$PATH GIT_CEILING_DIRECTORIES=$top dpkg-buildpackage -us -uc -b -d >"$out/deb.log" 2>&1 || {
    tail -n 50 "$out/deb.log" >&2
    exit 1
  }
)
cp "$top"/weir_*.deb "$out"
deb=$(find "$out" -name "weir_${version}_*.deb")
echo "$deb ($(wc -c <"$deb") bytes)"
dpkg-deb -f "$deb" Depends
lintian --fail-on error --suppress-tags bad-distribution-in-changes-file "$deb"
[ "${1:-}" = --check ] || exit 0

# The root is thrown away: what counts is that every step ends well.
# shellcheck source=/dev/null
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
set --
for list in /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources; do
  if [ -s "$list" ]; then set -- "$@" "$list"; fi
done
# shellcheck disable=SC2016 # mmdebstrap says what $1 is
mmdebstrap --quiet --variant=minbase --format=null \
  --customize-hook="copy-in $deb /root" \
  --customize-hook="copy-in tools/deb_check.sh /root" \
  --customize-hook='chroot "$1" sh /root/deb_check.sh' \
  "$suite" /dev/null "$@"
