weir run texture.yaml
weir run texture.yaml --gpu fermi-s3 --per-load
