"$SAMPLE_STORE" "$TMP/s.db"
cd "$TMP"
for line in "" "s.db again.db" "s.db --layout wid" "s.db --layout square" "s.db --status failed" "s.db --dump - --kernels" \
    "s.db --dump - --csv -" "s.db --stats l1.hist" "s.db --stats cycles,xyzzy*" "s.db --settings l1.ssize" "s.db --where cycle=1" \
    "s.db --where )" "s.db --where kernel=1" "s.db --csv s.db" "s.db --csv nowhere/s.csv" "none.db" "s.db --csv /dev/full" \
    "s.db --dump /dev/full"; do
  weir export $line || echo "exit code $?: $line"
done
ls
