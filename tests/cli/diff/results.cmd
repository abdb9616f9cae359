# JSON of weir run: sums of launches, and rates from them; a store's names of statistics.
weir diff before.json after.json
weir diff before.json after.json --kernels
weir diff before.json#2 after.json#2
weir diff before.json changed.json
weir diff before.json changed.json --kernels
