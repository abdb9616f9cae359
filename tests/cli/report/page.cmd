# What a page is made of, and that nothing in it can end its scripts early or ask for anything.
$SAMPLE_STORE $TMP/s.db
weir report $TMP/s.db -o $TMP/page.html && ls $TMP
grep -c 'Chart.js v3' $TMP/page.html
grep -c 'Permission is hereby granted' $TMP/page.html
grep -o 'Content-Security-Policy.*' $TMP/page.html
grep -oE '(src|href)="[^"]*"' $TMP/page.html
weir report $TMP/s.db -o - | cmp - $TMP/page.html && echo same
