weir classify gather --quiet --tags "$TMP/tags.yaml" --json "$TMP/all.json"
cat "$TMP/tags.yaml" "$TMP/all.json"
