# A variant of a machine, and a variant of that.
cd "$TMP"
printf 'weir: 1\nextends: v100\nmachine: {l1: {size: 64K}}\n' >v64.yaml
printf 'weir: 1\nextends: v64.yaml\nmachine: {l1.sets: 8, sm: {count: 40}}\n' >less.yaml
weir explain --gpu less.yaml l1.size l1.sets l1.ways sm.count sm.warps | grep -E '^[a-z]|value|set by'
mkdir sub && printf 'weir: 1\nextends: ../less.yaml\n' >sub/same.yaml
weir explain --gpu sub/same.yaml l1.size sm.count | grep value
weir help gpu less.yaml | grep -E '^(l1.size|l1.ways|sm.count|sm.warps|sm.launch_latency) ' | tr -s ' ' | cut -c1-60
weir run vecadd --input test --gpu less.yaml | grep ^machine
