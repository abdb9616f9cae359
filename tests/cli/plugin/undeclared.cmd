M="cc -Wall -Wextra -Werror -O1 -shared -fPIC -I ../../../include mine.c -o"
# slow: many runs, each of them like one of other cases
$M "$TMP/mine.so"; $M "$TMP/small.so" -DSTORAGE=80; $M "$TMP/huge.so" -DSTORAGE=UINT64_MAX-1; cd "$TMP"
bits() { python3 -c "import json,sys; print(json.load(sys.stdin)['runs'][0]['launches'][0]['timing']['storage']['bits_per_sm'])"; }
mean() { python3 -c "import json,sys; d = json.load(sys.stdin); print([m['added_storage_bits'] for m in d['means']], [r['storage_bits'] for r in d['runs']])"; }
for so in mine small; do
  weir run gather --input test --policies lru,mine --plugin $so.so >$so.txt; grep storage $so.txt
  weir run gather --input test --policies lru,mine --plugin $so.so --json - | bits
  weir compare gather --input test -S baseline,mine --plugin $so.so --json - --no-provenance -q | mean
  weir compare gather --input test -S baseline,mine --plugin $so.so --csv - --no-provenance -q | cut -d, -f4,8
  weir compare gather --input test -S baseline,mine --plugin $so.so --no-provenance 2>log.txt | grep '^mine' | awk '{print $NF, $(NF-1)}'
done
printf 'weir: 1\nabout: a test\npolicies: [lru, mine]\n' >own.yaml
weir help scheme own.yaml --plugin mine.so | sed -n '/^storage/,$p'
weir run gather --input test --plugin huge.so
