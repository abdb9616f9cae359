weir classify flag --input profile --gpu fermi-s4
