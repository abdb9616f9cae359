weir explain func.warp_ins
