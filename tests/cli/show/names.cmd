$SAMPLE_STORE $TMP/s.db
cd $TMP
weir show s.db --value cycels
weir show s.db --value what.is.this
weir show s.db --rows worklod
weir show s.db --columns l1.sizes
weir show s.db --columns what
weir show s.db --columns scheme,
weir show s.db --columns scheme,scheme
weir show s.db --rows scheme --columns scheme
weir show s.db --baseline scheme=baselin
weir show s.db --baseline l1.size=1M
weir show s.db --baseline shceme=baseline
weir show s.db --baseline baseline
weir show s.db --baseline scheme=
weir show s.db --baseline scheme=tsc,scheme=tsc
weir show s.db --baseline kernel=1:norm
weir show s.db --value tag-split.victims --where "scheme = 'baseline'"
