# A run that a store has needs nothing prepared: it is found by what that depends on, not by what came of it.
# slow: profiling
cd $TMP
export WEIR_CACHE=$TMP/cache
study() { weir sweep vecadd -i test -S baseline,profiled-local --store s.db -q "$@" && weir export s.db --dump - | grep -c ^run; }
study
ls cache | sed 's/-[0-9a-f]\{32\}/-HASH/'
rm -r cache
study
test -e cache || echo nothing was prepared
study -s l1.mshr_merge=4
ls cache | wc -l
study -s l1.mshr_merge=4 -s profiled.threshold=3
ls cache | wc -l
