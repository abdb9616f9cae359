# What a plug-in does wrong is said of it, with its hook, and is never weir's mistake (exit 3).
try() {
  cc -Wall -Wextra -Wno-unused-function -Werror -O1 -shared -fPIC -I ../../../include -o "$TMP/mine.so" "$@" mine.c
  weir run gather --input test --gpu fermi-s3 --plugin "$TMP/mine.so" --json "$TMP/out.json" --check $OPTIONS
  echo "exit $?, $(find "$TMP" -name out.json | wc -l) results"
}
echo "init refuses without a word, with a number that is no status, with garbage"
try -D'REFUSE(err, why)=((void)err, WEIR_EINVAL)'
try -D'REFUSE(err, why)=((void)err, (enum weir_status)99)'
try -D'REFUSE(err, why)=weir_refuse(err, "\351\033[31m\n\200 no")'
echo "a reason that there is not"
try -DREASON='(enum weir_reason)77'
echo "sizes"
try -DSIZE='~(size_t)0'
try -DSIZE='(size_t)1 << 39'
echo "writes before and behind its memory"
try -DCRASH_OBSERVING='((char *)weir_state_edit(p))[-1] = 1'
try -DCRASH_OBSERVING='((struct stats *)weir_stats_edit(p))[1].bypasses = 1'
try -DSIZE=5 -DCRASH_OBSERVING='((char *)weir_state_edit(p))[5] = 1'
echo "exit()"
try -include stdlib.h -DCRASH_DECIDING='exit(0)'
try -include stdlib.h -D'REFUSE(err, why)=((void)err, exit(0), WEIR_OK)'
echo "verify"
try -DVERIFY='"\001 what?"'
echo "stalls for ever"
try -DSTALL=gate
try -DSTALL=pick_warp
OPTIONS="--policies mine" try -DSTALL=victim
echo "a size that is another one each time"
cc -O1 -shared -fPIC -I ../../../include -o "$TMP/mine.so" -DSIZE='({ static int n; n++ % 2 ? (size_t)1 << 20 : 16; })' mine.c
weir run gather --input test --gpu fermi-s3 --plugin "$TMP/mine.so" >"$TMP/report"
echo "exit $?"
echo "a worker"
cc -O1 -shared -fPIC -I ../../../include -o "$TMP/mine.so" -include stdlib.h -DCRASH_OBSERVING='exit(0)' mine.c
weir compare gather --input test --plugin "$TMP/mine.so" -S baseline,mine | tail -1
echo "exit ${PIPESTATUS[0]}"
echo "$(find "$TMP" -name ".weir-*" | wc -l) temporary files are left"
