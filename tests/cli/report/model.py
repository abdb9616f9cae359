"""Prints what a page has: model.py PAGE"""
import json
import re
import sys

page = open(sys.argv[1], encoding="utf-8").read()
m = json.loads(re.search(r'<script type="application/json" id="model">(.*?)</script>', page, re.S)[1])
print("title:", m["title"], "| baseline:", m["baseline"])
for key in m["keys"]:
    print(key["name"], key["values"], "setting" if key["setting"] else "")
print("schemes:", [(s["label"], s["role"]) for s in m["schemes"]])
print("runs:", len(m["status"]), {s: m["status"].count(s) for s in sorted(set(m["status"]))}, "not drawn:", len(m["undrawn"]))
print("stats:", [s["name"] for s in m["stats"]])
print("speed-ups:", m["speedup"][:14])
print("messages:", m["messages"])
print("kernels:", len(m["kernels"]["run"]), m["kernels"]["names"], "left out:", m["kernels"]["left_out"])
for c in m["characters"]:
    print("character:", c["workload"], c.get("input"), "points:", len(c["curve"]), "kernels:", len(c["kernels"]))
    for k in c["kernels"]:
        for load in k["loads"]:
            print("  load", k["name"], load["line"], load["array"], load["references"], load["misses"])
    for s in c.get("sources", []):
        print("  source", s["name"], "not found" if s["text"] is None else f"{s['text'].count(chr(10))} lines")
print("made by:", [p["made"].get("command") for p in m["provenance"]])
