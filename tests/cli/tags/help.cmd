# A scheme that needs tags, and has nobody to make them, says so in its examples.
printf 'weir: 1\nabout: a test\npolicies: [coordinated]\n' > $TMP/own.yaml
weir help scheme $TMP/own.yaml | grep -- --scheme
weir help scheme dynamic | grep -- --scheme
