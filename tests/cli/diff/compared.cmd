# JSON of weir compare: repeats by their seeds, a run that failed, a scheme that one side has not.
weir diff compared.json compared_later.json
weir diff compared.json#1 compared.json#3
weir diff compared.json compared.json
