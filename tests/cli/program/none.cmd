weir run -- true
weir run -- sh -c 'echo its own output; exit 7'
