# A load that streams goes past the L1; the numbers are those of one seed after the other.
weir advise transpose --input test --gpu fermi-s4 --trials 8 --repeat 2 --check
