weir compare vecadd --input profile -S baseline,bypass-all --tags wrong.yaml
