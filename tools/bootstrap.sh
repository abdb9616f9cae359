#!/bin/sh
# Installs the Debian packages that weir needs, if any are missing.
#   tools/bootstrap.sh build   what building and testing need (default)
#   tools/bootstrap.sh all     and what `make lint`, `make fuzz`, `make matrix` and the tests with Slurm and a browser need
#   tools/bootstrap.sh deb     what building and `make dist` and `make deb` need
set -eu
PATH=$PATH:/usr/sbin:/sbin # where daemons are

# package:command or package:/file, and of a library NAME-dev:pkg-config-module, so that one from elsewhere counts too
build='gcc:gcc make:make meson:meson ninja-build:ninja pkg-config:pkg-config python3:python3
  zstd:zstd libyaml-dev:yaml-0.1 libzstd-dev:libzstd liblz4-dev:liblz4 liblzma-dev:liblzma
  libjansson-dev:jansson libxxhash-dev:libxxhash libsqlite3-dev:sqlite3 libcmocka-dev:cmocka
  libmpfr-dev:mpfr libjs-chart.js:/usr/share/javascript/chart.js/chart.min.js'
extra='clang:clang clang-format:clang-format clang-tidy:clang-tidy cppcheck:cppcheck
  shellcheck:shellcheck codespell:codespell groff-base:groff munge:munged slurmctld:slurmctld slurmd:slurmd slurm-client:sbatch
  chromium:chromium chromium-driver:chromedriver firefox-esr:firefox-esr librsvg2-bin:rsvg-convert'
package='git:git xz-utils:xz dpkg-dev:dpkg-buildpackage debhelper:dh fakeroot:fakeroot lintian:lintian
  mmdebstrap:mmdebstrap'

case ${1:-build} in
build) wanted=$build ;;
all) wanted="$build $extra" ;;
deb) wanted="$build $package" ;;
*)
  echo "usage: $0 [build|all|deb]" >&2
  exit 2
  ;;
esac

missing=
for item in $wanted; do
  probe=${item#*:}
  case $item in # the command sqlite3 does not mean that its library is here
  *:/*) [ -e "$probe" ] ;;
  *-dev:*) pkg-config --exists "$probe" 2>/dev/null ;;
  *) command -v "$probe" >/dev/null 2>&1 ;;
  esac || missing="$missing ${item%%:*}"
done
[ -n "$missing" ] || exit 0

echo "weir needs packages that are not here:$missing"
if ! command -v apt-get >/dev/null 2>&1; then
  echo "This is not a Debian system: install the above by their names on yours, then run make again." >&2
  exit 1
fi
sudo=
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null 2>&1; then
    echo "Neither root nor sudo: ask an administrator to run: apt-get install$missing" >&2
    exit 1
  fi
  sudo=sudo
fi
echo "Installing them: ${sudo:+$sudo }apt-get install$missing"
# Daemons that come with them are for tests, which start their own: none is to be started now, and where there is no init
# that could, as in a container, installing does not fail for it.
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
  trap '$sudo rm -f "$policy"' EXIT
  printf '#!/bin/sh\nexit 101\n' | $sudo tee "$policy" >/dev/null
  $sudo chmod 755 "$policy"
fi
# shellcheck disable=SC2086 # the list is meant to be split
$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing || {
  $sudo apt-get update
  $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing
}
