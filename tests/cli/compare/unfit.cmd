weir compare vecadd -S baseline,tsc -g v100-cfg -i test | grep -e vecadd -e failed
weir compare vecadd -S tsc -g v100-cfg -i test
