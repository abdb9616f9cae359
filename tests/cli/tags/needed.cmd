weir run vecadd --gpu fermi-s4 --scheme unprepared.yaml
weir run vecadd --gpu fermi-s4 --scheme static --set coordinated.all_cm=true --quiet --input profile && echo fine
weir run gather --input profile --gpu fermi-s4 --scheme coordinated --tags vecadd.yaml
weir compare vecadd --input profile -g fermi-s4 -S baseline,unprepared.yaml | grep -A2 ^failed
