# Compiled to 12 registers, on a machine that lets a thread have fewer; an estimate is held to that, too.
F=../../compat/files/operations.yaml M=../../compat/files/machine.yaml
weir run $F --gpu $M --set sm.max_registers_per_thread=12 | grep '^\*'
weir run $F --gpu $M --set sm.max_registers_per_thread=10 | grep -o -e '[0-9]* (sm[^ ]*' -e '^\* .*'
weir run $F --gpu $M --set sm.max_registers_per_thread=10 --json - | grep '"registers_'
weir run estimated.yaml --gpu $M --set sm.max_registers_per_thread=9 | grep '^\*'
