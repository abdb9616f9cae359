# A scheme's file of tags is looked for beside the scheme; --tags wins over it.
weir run vecadd --input profile --gpu fermi-s3 --scheme sub/scheme.yaml
echo $?
weir run vecadd --input profile --gpu fermi-s3 --scheme sub/scheme.yaml --tags vecadd.yaml --quiet
