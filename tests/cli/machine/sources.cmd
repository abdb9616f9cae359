# A value's tag says where it comes from; what it extends keeps its own.
cd "$TMP"
cat >base.yaml <<END
weir: 1
sources: {paper: "Table 1", guess: "nobody says"}
machine:
  sm: {count: !paper 4, warps: !guess 16}
  l1.size: !guess 32K
  noc.reply_cyc: 30
END
printf 'weir: 1\nextends: base.yaml\nsources: {measured: "on one"}\nmachine: {sm.count: !measured 5, l1.sets: 64}\n' >less.yaml
weir help gpu base.yaml | grep -E '^(parameter|sm.count|sm.warps|l1.(size|sets|ways|index|carveouts)|noc.reply_cyc|l3.queue|sm.inflight) ' | tr -s ' ' | cut -c1-60
weir help gpu base.yaml | sed -n '/^sources/,/^$/p'
weir help gpu less.yaml | grep -E '^(sm.count|sm.warps|l1.(size|sets|ways)) ' | tr -s ' ' | cut -c1-60
weir help gpu less.yaml | sed -n '/^sources/,/^$/p'
weir explain --gpu less.yaml sm.count sm.warps noc.reply_cyc sm.inflight | grep -E '^[a-z]|source'
weir explain --set sm.count=7 --gpu less.yaml sm.count | grep -E '^[a-z]|value|source'
