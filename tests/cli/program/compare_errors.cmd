weir compare -S baseline -- true
weir compare -S baseline --
weir compare -S baseline --skip 1 vecadd
weir compare -S nosuch -- true
