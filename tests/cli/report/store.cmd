$SAMPLE_STORE $TMP/s.db
weir report $TMP/s.db -o $TMP/page.html --title 'A <b>study</b></script>' && python3 model.py $TMP/page.html
grep -n '<title>' $TMP/page.html
