weir run stack_frames.yaml; code=$?; weir run stack_frames.yaml -q --set exec.stack_bytes=128K && exit $code
