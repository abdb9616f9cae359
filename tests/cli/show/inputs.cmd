# A workload with two inputs, one without any, runs without machine and scheme.
python3 inputs.py $TMP/s.db $SAMPLE_STORE
cd $TMP
weir show s.db
weir show s.db --format csv
