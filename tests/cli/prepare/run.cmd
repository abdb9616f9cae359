# The first run classifies, the second finds it; tags of a file come before both.
# slow: many runs, each of them like one of other cases
weir() {
  before=$(ls -i "$WEIR_CACHE" 2> /dev/null)
  command weir "$@"
  [ "$before" = "$(ls -i "$WEIR_CACHE" 2> /dev/null)" ] && echo "nothing new is kept: $*" >&2
}
weir run gather --gpu fermi-s4 --scheme static --input profile | grep classified
weir run gather --gpu fermi-s4 --scheme coordinated --json "$TMP/run.json" --no-provenance | grep classified
grep -A 5 '"profile": {' "$TMP/run.json"
ls "$WEIR_CACHE" | sed 's/[0-9a-f]\{32\}/KEY/'
sed 's/about: .*workloads/about: ".../' "$WEIR_CACHE"/*
weir classify gather -q --tags "$TMP/tags.yaml"
weir run gather --gpu fermi-s4 --scheme coordinated --input profile --tags "$TMP/tags.yaml" | grep -c classified
# Another machine, another threshold.
weir run gather --gpu fermi-s3 --scheme static --input profile | grep classified
weir run gather --gpu fermi-s4 --scheme static --input profile --set cls.high=0.8 | grep classified
# Nothing is kept.
WEIR_CACHE= weir run gather --gpu fermi-s4 --scheme static --input profile | grep classified
# What cannot be read is made again.
for f in "$WEIR_CACHE"/*; do echo x > "$f"; done
weir run gather --gpu fermi-s4 --scheme static --input profile | grep classified
# The same bytes, however it came about.
for f in 1 2; do command weir run gather --gpu fermi-s4 --scheme coordinated --input profile -a --json "$TMP/$f.json" > "$TMP/$f"; rm -rf "$WEIR_CACHE"; done
cmp "$TMP/1" "$TMP/2" && cmp "$TMP/1.json" "$TMP/2.json" && echo same
