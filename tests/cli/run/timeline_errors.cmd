weir run bfs --timeline $TMP/t.json
weir run bfs --gpu fermi-s3 --timeline-every 10
weir run bfs --gpu fermi-s3 --timeline $TMP/t.json --timeline-every 0
weir run bfs --gpu fermi-s3 --timeline $TMP/t.json --timeline-limit 5
weir run bfs --gpu fermi-s3 --timeline $TMP/t.json --timeline-sms 0-15
weir run bfs --gpu fermi-s3 --timeline $TMP/t.json --timeline-sms 3-1
weir run bfs --gpu fermi-s3 --timeline - --json -
weir run --timeline - -- ./app
weir run --timeline $TMP/t.json --functional -- ./app
ls $TMP
