# A trace says what its workload does, but for the names of arrays; threads change nothing.
weir record -q -o "$TMP/x.wtrace" bfs --input test
weir characterize "$TMP/x.wtrace" --csv - --no-provenance | cut -d, -f 3-5,7- > "$TMP/a"
weir characterize bfs --input test --threads 2 --csv - --no-provenance | cut -d, -f 3-5,7- > "$TMP/b"
diff "$TMP/a" "$TMP/b" && wc -l < "$TMP/a"
printf 'kernel-1.traceg\n' > "$TMP/kernelslist.g"
cp ../gpu/no_registers.traceg "$TMP/kernel-1.traceg"
weir characterize "$TMP/kernelslist.g" | head -12
