# Numbers belong to the model; their widths with them.
weir compare vecadd spmv --schemes baseline,bypass-all,tsc+ --input profile --check | sed 's/█.*/BAR/' | tr -s ' -'
