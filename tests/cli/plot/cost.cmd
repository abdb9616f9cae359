$SAMPLE_STORE $TMP/s.db
weir plot $TMP/s.db --figure energy --only gpu=fermi-s3 --only l1.size=16K -o -
