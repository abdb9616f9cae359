weir explain exec.no_such_thing
