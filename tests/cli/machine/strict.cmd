# A machine file has nothing that nobody reads.
cd "$TMP"
try() { printf "$1" >m.yaml; weir run vecadd --gpu m.yaml; echo "$?"; }
try 'weir: 2\nmachine: {}\n'
try 'machine: {}\n'
try 'weir: 1\nl1: {size: 32K}\nmachine: {}\n'
try 'weir: 1\nmachine: {}\nl1.size: 32K\n'
try 'weir: 1\nabout: nothing\n'
try 'weir: 1\nmachine: 3\n'
try 'weir: 1\nextends: [v100]\n'
try 'weir: 1\nextends: v10\n'
try 'weir: 1\nextends: nowhere.yaml\n'
try 'weir: 1\nextends: m.yaml\n'
try 'weir: 1\nmachine: {l1.size: 32K, l1: {size: 32K}}\n'
printf 'weir: 1\nextends: b.yaml\n' >a.yaml
printf 'weir: 1\nextends: c.yaml\n' >b.yaml
printf 'weir: 1\nextends: ./b.yaml\n' >c.yaml
weir explain --gpu a.yaml l1.size
