weir classify bfs --gpu fermi-s3 --jobs 1 --check
