weir run -q --functional -- "$CLIENT" ../../../workloads/vecadd/vecadd.yaml test device
weir run -q --functional --gpu fermi-s3 --set cuda.capability=75 --set exec.device_memory=1G -- "$CLIENT" ../../../workloads/vecadd/vecadd.yaml test device
weir run -q --set cuda.capability=1 -- true
