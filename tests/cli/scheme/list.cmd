weir list schemes
weir list policies --names
