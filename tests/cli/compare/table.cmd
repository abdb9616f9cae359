# Numbers belong to the model; their widths with them.
weir compare vecadd spmv --schemes baseline,bypass-all,tsc+ --input test --check | sed 's/█.*/BAR/' | tr -s ' -'
