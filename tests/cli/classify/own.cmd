# Loads are classified by runs.
# slow: many runs of a whole input, each of them like one of other cases
weir classify flag --input profile --gpu fermi-s4
