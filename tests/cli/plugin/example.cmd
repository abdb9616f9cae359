# The command at the head of the example, and the README's, from the top of the source tree.
# slow: the conformance suite, which test_conformance tries with a sanitizer
cd ../../..
wc -l <examples/own-policy/pc_streak.c
build=$(sed -n 's/^ \*   \(cc .*\)/\1/p' examples/own-policy/pc_streak.c)
grep -cF "$build" examples/own-policy/README.md docs/tutorial-own-policy.md
eval "${build/-o /-Wall -Wextra -Werror -o $TMP/}"
cd "$TMP" || exit
weir check-policy ./pc_streak.so
weir run spmv --input test --plugin ./pc_streak.so --check --all | grep -E '^machine|^pc-streak'
weir run spmv --input test --plugin ./pc_streak.so --set pc-streak.threshold=16 --threads 2 --all | grep ^pc-streak
weir run spmv --input test --plugin ./pc_streak.so --organisation tag-split --policies pc-streak,tsc-plus --check | grep ^machine
weir compare spmv gather --input test -S baseline,pc-bypass,pc-streak --plugin ./pc_streak.so --csv - --no-provenance | cut -d, -f2,4,5
weir run spmv --plugin ./pc_streak.so --set pc-streak.threshold=0
