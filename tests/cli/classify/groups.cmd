weir classify bfs --input test --gpu fermi-s3 --jobs 1 --check
