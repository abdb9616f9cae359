# What is not of a text is said so wherever people read a scheme's name; programs get it beside the name.
schemes=baseline,certainty_model.yaml,certainty_stand_in.yaml
weir run vecadd --gpu fermi-s3 --input profile --scheme certainty_model.yaml | grep 'machine fermi-s3'
weir run vecadd --gpu fermi-s3 --input profile --scheme certainty_model.yaml --organisation sectored | grep 'machine fermi-s3'
weir run vecadd --gpu fermi-s3 --input profile --scheme certainty_model.yaml --policies lru | grep 'machine fermi-s3'
weir compare vecadd --input profile -S $schemes --baseline certainty_stand_in.yaml --csv $TMP/c.csv --json $TMP/c.json | grep -e certainty
grep -v '^#' $TMP/c.csv | cut -d, -f4,5,13
python3 - $TMP/c.json <<'END'
import json, sys
root = json.load(open(sys.argv[1]))
for key in ("setups", "means", "runs"):
    print(key, [(o["scheme"], o.get("certainty")) for o in root[key]])
print("provenance", [(o["name"], o.get("certainty")) for o in root["provenance"]["schemes"]])
END

echo "-- store"
weir sweep vecadd --input profile -S $schemes --store $TMP/s.db --quiet
weir show $TMP/s.db --baseline scheme=certainty_model
weir show $TMP/s.db --rows scheme,scheme.certainty --format csv
weir show $TMP/s.db --rows scheme --format json | grep -A2 '"scheme": "certainty_stand_in"'
weir query $TMP/s.db | grep schemes:
weir query $TMP/s.db --csv "SELECT scheme, setting(id, 'scheme.certainty') AS certainty FROM runs ORDER BY 1"
weir export $TMP/s.db --no-times --stats cycles --settings scheme.certainty --where "[scheme.certainty] IS NOT NULL"
weir export $TMP/s.db --no-times --stats cycles --where "scheme = 'certainty_model'"

echo "-- diff"
model=$(weir query $TMP/s.db --csv "SELECT id FROM runs WHERE scheme = 'certainty_model'" | tail -1)
stand=$(weir query $TMP/s.db --csv "SELECT id FROM runs WHERE scheme = 'certainty_stand_in'" | tail -1)
weir diff $TMP/s.db#$model $TMP/s.db#$stand | grep ^scheme
weir diff $TMP/c.json#1 $TMP/c.json#2 | grep ^scheme
weir run vecadd --gpu fermi-s3 --input profile --scheme certainty_model.yaml --quiet --json $TMP/r.json
weir run vecadd --gpu fermi-s3 --input profile --quiet --json $TMP/b.json
weir diff $TMP/b.json $TMP/r.json | grep ^scheme

echo "-- help"
mkdir -p $TMP/data/schemes
cp -r ../../../gpus $TMP/data
cp ../../../schemes/baseline.yaml certainty_*.yaml $TMP/data/schemes
export WEIR_DATA=$TMP/data
weir list schemes
weir list schemes --names
weir help scheme certainty_model | head -4
weir help scheme certainty_stand_in | head -3
weir help policy srrip | grep 'schemes that name it'
