weir exlpain
