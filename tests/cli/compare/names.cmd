weir compare vecad
weir compare vecadd --schemes baseline,tscc
weir compare vecadd --gpus fermi-s9
weir compare vecadd --baseline decouple
weir compare vecadd --schemes tsc --baseline decoupled
weir compare vecadd --input profil
weir compare all --input profil
weir compare vecadd --schemes tsc,tsc
weir compare vecadd --schemes tsc,
weir compare nothing.wtrace
