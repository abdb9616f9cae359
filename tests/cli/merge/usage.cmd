weir merge
weir merge s.db
weir merge -o all.db
weir merge s.db --output
