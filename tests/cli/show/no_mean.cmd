# Runs of one cell that differ in more than the seed.
$SAMPLE_STORE $TMP/s.db
cd $TMP
weir show s.db --columns scheme
weir show s.db --columns l1.size
weir show s.db --rows scheme --columns l1.size,gpu
weir show s.db --columns scheme --rows input
