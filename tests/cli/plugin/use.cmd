cc -Wall -Wextra -Werror -O1 -shared -fPIC -I ../../../include -o "$TMP/mine.so" mine.c
nm -D --undefined-only "$TMP/mine.so" | grep -c ' U '
cd "$TMP" && weir run gather --input test --plugin mine.so --all --check --set mine.every=3 | grep -E '^machine|^mine|bypassed_profile'
weir run gather --input test --plugin mine.so --all --set mine.every=3 --threads 2 --gpu fermi-s3 | grep -E '^mine'
weir run gather --input test --plugin=mine.so --gpu fermi-s0 --scheme tsc+ --threads 2 | grep ^machine
weir run gather --input test --plugin mine.so --json - | python3 -c "import json,sys; print(json.load(sys.stdin)['runs'][0]['launches'][0]['timing']['parts']['mine'])"
weir record -o gather.wtrace gather --input test >record.txt
weir replay gather.wtrace --gpu fermi-s3 --policies srrip,mine --plugin mine.so --all | grep -E '^machine|^mine'
weir list policies --names --plugin mine.so | tail -1
weir list params --names --plugin mine.so | tail -1
weir help policy mine --plugin mine.so
weir explain --plugin mine.so mine.every mine.bypasses
weir run gather --input test --plugin mine.so --functional | tail -1
printf 'weir: 1\nabout: a test\norganisation: decoupled\npolicies: [mine]\nset:\n  mine: {every: 5}\n' >own.yaml
weir run gather --input test --plugin mine.so --scheme own.yaml --all | grep -E '^machine|^mine'
