for s in $(weir list schemes --names); do
  weir help scheme "$s" | grep -c "$s"
done | sort -n | head -1
for p in $(weir list policies --names); do
  weir help policy "$p" >/dev/null || echo "$p"
done
