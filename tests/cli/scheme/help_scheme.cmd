weir help scheme pc-bypass --gpu gcn-s2
weir help scheme miss-rate
weir help scheme tsc+ | grep -A20 ^storage
