weir list gpus --names
