weir help scheme
weir help scheme decupled
weir help policy ccsw
weir help policy
weir help run --gpu fermi-s3
weir help scheme tsc --gpu v100
weir help scheme tsc decoupled
