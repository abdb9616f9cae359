try() {
  cc -Wall -Wextra -Werror -O1 -shared -fPIC -I ../../../include -o "$TMP/mine.so" "$@" mine.c
  weir run gather --input test --plugin "$TMP/mine.so" --check
}
try -DANSWER=9
echo "exit $?"
try -DCHEAT
echo "exit $?"
try -DREFUSE=weir_refuse
echo "exit $?"
try -D'REFUSE(err, why)=weir_fail(err, WEIR_EINVAL, why)'
