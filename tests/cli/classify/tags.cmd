weir classify gather --quiet --tags "$TMP/tags.yaml" --json "$TMP/all.json" --no-provenance
cat "$TMP/tags.yaml" "$TMP/all.json"
