# What stays impossible says where it was set, and what would do.
cd "$TMP"
printf 'weir: 1\nextends: fermi-s3\nmachine:\n  l1: {line: 96}\n' >odd.yaml
printf 'weir: 1\nextends: fermi-s3\nmachine:\n  l1: {line: 512}\n' >large.yaml
printf 'weir: 1\nextends: fermi-s3\nmachine:\n  l2: {line: 256, interleave: 128}\n' >turns.yaml
printf 'weir: 1\nextends: fermi-s3\nmachine:\n  l1: {line: 256, sector: 8}\n' >sectors.yaml
for f in odd large turns sectors; do weir run vecadd --gpu $f.yaml; echo $?; done
weir run vecadd --gpu fermi-s3 --set l1.line=48
weir run vecadd --gpu fermi-s3 --set l1.line=256 --set l1.size=6K
