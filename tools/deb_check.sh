#!/bin/sh
# In a root that has nothing but Debian's smallest system and this folder's package: install it, run it, remove it.
set -eux
cd /root
export HOME=/root DEBIAN_FRONTEND=noninteractive
apt-get install -y --no-install-recommends ./weir_*.deb >/dev/null
weir --version
find /usr/lib -path '*weir*' -name '*.so*' -exec ldd {} + | grep 'not found' && exit 1
weir list workloads >/dev/null
weir run vecadd --input profile --gpu v100 --json run.json
weir run --like run.json --json again.json -q
cmp run.json again.json
weir compare gather spmv --input profile --schemes baseline,tsc+,coordinated --csv compare.csv
weir record vecadd --input profile -o v.wtrace
weir trace verify v.wtrace
for page in weir weir-run weir-compare; do
  test -s /usr/share/man/man1/$page.1.gz || test -e /etc/dpkg/dpkg.cfg.d/excludes
done
# What it recommends is for those who build with it.
# shellcheck disable=SC2046 # several words
apt-get install -y --no-install-recommends gcc libc6-dev $(dpkg-query -W -f '${Recommends}' weir | tr -d ,) >/dev/null
flags=$(pkg-config --cflags weir)
# shellcheck disable=SC2086 # none, or several
cc -O2 -shared -fPIC $flags -o own.so /usr/share/doc/weir/examples/own-policy/pc_streak.c
weir check-policy ./own.so
# shellcheck disable=SC2046 # several words
cc -O2 -o own /usr/share/doc/weir/examples/library/compare.c $(pkg-config --cflags --libs weir)
./own >by-c.txt
apt-get install -y --no-install-recommends python3 >/dev/null
PYTHONPATH=$(pkg-config --variable=pythondir weir) python3 /usr/share/doc/weir/examples/library/compare.py >by-python.txt
cat by-c.txt
cmp by-c.txt by-python.txt
apt-get remove -y weir >/dev/null
test ! -e /usr/bin/weir
echo "the package installs, runs and goes"
