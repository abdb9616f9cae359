cc -O1 -shared -fPIC -I ../../../include -o "$TMP/tables.so" tables.c
cc -O1 -shared -fPIC -I ../../../include -o "$TMP/pc_reuse.so" ../../../examples/prepared-policy/pc_reuse.c
cc -O1 -shared -fPIC -I ../../../include -DPREPARE='"nobody"' -o "$TMP/a.so" tables.c
cc -O1 -shared -fPIC -I ../../../include -DPREPARE='"lru"' -o "$TMP/b.so" tables.c
client=$CLIENT
cd "$TMP" || exit
weir run vecadd --plugin ./a.so
weir run vecadd --plugin ./b.so
weir check-policy ./b.so
echo rows that nobody reads
weir run vecadd --plugin ./tables.so
weir compare vecadd -S baseline,lru --plugin ./tables.so
printf 'weir: 1\nabout: x\npolicies: [lru]\nprepare: no-rows\n' > unread.yaml
weir run vecadd --gpu fermi-s3 --scheme unread.yaml --plugin ./tables.so
printf 'weir: 1\nabout: x\npolicies: [pc-reuse]\nprepare: no-row\n' > unknown.yaml
weir run vecadd --gpu fermi-s3 --scheme unknown.yaml --plugin ./tables.so --plugin ./pc_reuse.so
weir run --plugin ./pc_reuse.so -- "$client" || echo "exit $?"
