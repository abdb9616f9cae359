weir help gpu femi-s3
