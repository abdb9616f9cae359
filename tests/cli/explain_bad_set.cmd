weir explain --set quantum exec.quantum
