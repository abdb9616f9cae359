$SAMPLE_STORE $TMP/s.db
cd $TMP
weir show
weir show a.db b.db
weir show s.db --relative ratio
weir show s.db --baseline scheme=baseline --relative faster
weir show s.db --best largest
weir show s.db --format cvs
weir show s.db --width wide
weir show s.db --width 80 --format csv
weir show s.db --valu cycles
