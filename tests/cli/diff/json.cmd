weir diff before.json after.json --json --min 5
weir diff compared.json compared_later.json --json --top 1
weir diff compared.json compared.json --json
