mkdir $TMP/a.yaml; cd $TMP; weir run a.yaml
