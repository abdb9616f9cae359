weir run gather --input test --gpu fermi-s3 --organisation tag-split --policies pc-bypass,tsc-plus --check --all | grep -E '^machine|^(tag-split|pc-bypass|tsc-plus)[.](loads|predictions|coarse)' | tr -s ' '
weir run gather --input test --gpu fermi-s3 --scheme pc-bypass --organisation tag-split | grep ^machine
weir run gather --input test --gpu fermi-s3 --scheme srrip | grep ^machine
weir run gather --gpu fermi-s3 --organisation tagsplit
weir run gather --gpu fermi-s3 --policies pc-bypass,tsc+
weir run gather --gpu fermi-s3 --policies pc-bypass,tsc-plus
weir run gather --gpu fermi-s3 --organisation tag-split --policies srrip
weir run gather --gpu fermi-s3 --policies srrip,nru
weir run gather --gpu fermi-s3 --policies srrip,srrip
weir run gather --gpu fermi-s3 --policies srrip,
weir run gather --gpu fermi-s3 --policies ccws,swl
weir run gather --policies srrip
