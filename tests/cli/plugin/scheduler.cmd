# The command at the head of the example of a scheduler, and the README's, from the top of the source tree.
# slow: the conformance suite, which test_conformance tries with a sanitizer
cd ../../..
build=$(sed -n 's/^ \*   \(cc .*\)/\1/p' examples/own-scheduler/laggard.c)
grep -cF "$build" examples/own-scheduler/README.md
eval "${build/-o /-Wall -Wextra -Werror -o $TMP/}"
cd "$TMP" || exit
weir check-policy ./laggard.so
weir run reduction --input test --plugin ./laggard.so --check --all | grep -E '^machine|^laggard'
weir run reduction --input test --plugin ./laggard.so --threads 2 --set laggard.lead=0 --all | grep ^laggard
weir run spmv --input test --plugin ./laggard.so --policies laggard,ccws --check | grep ^machine
weir compare reduction --input test -S lrr,gto,fetch-groups,laggard --plugin ./laggard.so --csv - --no-provenance | cut -d, -f2,4,5
weir run spmv --plugin ./laggard.so --policies laggard,gto
weir run spmv --plugin ./laggard.so --set sm.scheduler=lrr
