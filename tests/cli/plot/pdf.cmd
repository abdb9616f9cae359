# All figures are SVG that a program for papers reads, where it is installed.
cd $TMP
weir compare -q gather vecadd --input test -S baseline,random-bypass,tsc,opt --repeat 2 --json c.json
for f in speedup composition stalls energy storage heat; do
  weir plot c.json --figure $f -o $f.svg && python3 -c "import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])" $f.svg
  if command -v rsvg-convert > /dev/null; then rsvg-convert -f pdf -o $f.pdf $f.svg || echo failed; fi
done
ls *.svg
