# No load uses an L1 that is off.
weir characterize vecadd --input test --set l1.enabled=false
