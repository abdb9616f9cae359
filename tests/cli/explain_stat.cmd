weir explain func.warp_insns
