weir run expect_checksum.yaml
