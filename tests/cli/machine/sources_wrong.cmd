# A tag that nothing explains, a kind that there is not, and a text for nothing.
cd "$TMP"
try() { printf "$1" >m.yaml; weir help gpu m.yaml; echo "$?"; }
try 'weir: 1\nsources: {paper: Table 1}\nmachine:\n  sm: {count: !guess 4}\n'
try 'weir: 1\nmachine:\n  sm.count: !papre 4\n'
try 'weir: 1\nsources: {papers: Table 1}\nmachine: {}\n'
try 'weir: 1\nsources: {paper: Table 1}\nmachine: {sm.count: 4}\n'
try 'weir: 1\nsources: {paper: ""}\nmachine: {sm.count: !paper 4}\n'
try 'weir: 1\nsources: {paper: [a]}\nmachine: {sm.count: !paper 4}\n'
try 'weir: 1\nabout: !paper this\nmachine: {sm.count: 4}\n'
try 'weir: 1\nmachine: {sm: !paper {count: 4}}\n'
try 'weir: 1\nmachine: {sm.count: !!int 4}\n'
try 'weir: 1\nmachine: {!paper sm.count: 4}\n'
printf 'sm.count: !paper 4\n' >s.yaml; weir explain --config s.yaml sm.count; echo "$?"
