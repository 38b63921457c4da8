#!/usr/bin/env python3
"""What changed between two versions of a page, judged without any of the crawler's code: Python's own HTML parser and difflib.

Standard input: one JSON line per series, {"site": NAME, "steps": [[OLD, NEW] or null, ...], "versions": [[OLD, NEW], ...]}, files of
one page and the versions of the packages they are from (may be left out); all pages of a site stand together. Standard output: one JSON line per series with a label for each step:

same      the same bytes
markup    other bytes; the same words, links and images
links     the same words; links or sources of images differ
stamp     words differ only in numbers, dates and hashes of lines that say when, by what or in which version a page was made, or
          that changed alike on a good part of the site's pages; or only in the version of the package
known stamp   a stamp, and each of its lines differed alike at the last two steps that were not the same: what three looks can teach
template  words differ, but only in places that changed alike on a good part of the site's pages (navigation, headings)
content   anything else
"""
import difflib
import json
import re
import sys
from collections import Counter
from html.parser import HTMLParser
from itertools import repeat

INLINE = set("a abbr acronym b bdi bdo big cite code data dfn del em font i ins kbd mark q s samp small span strike strong sub sup time tt u var wbr".split())
HIDDEN = {"script", "style"}
MONTHS = "jan(uary)?|feb(ruary)?|mar(ch)?|apr(il)?|may|june?|july?|aug(ust)?|sep(t|tember)?|oct(ober)?|nov(ember)?|dec(ember)?"
DAYS = "(mon|tues?|wed(nes)?|thu(rs)?|fri|sat(ur)?|sun)(day)?"
VOLATILE = re.compile(rf"\b(?:{MONTHS}|{DAYS}|utc|gmt|cet|cest|[ap]m|rc\d*)\b|[0-9a-f]{{7,}}|\d+(?:[.:,+~/_-]*\d+)*(?:(?:st|nd|rd|th)\b)?", re.I)
STAMP = re.compile(r"last (updated|modified|changed)|generated|created|built|copyright|©|\(c\)|^\W*(version|release|revision|date|edition)\b", re.I)
MAX_STAMP = 120
COMMON = 0.25


class Page(HTMLParser):
    def __init__(self, path):
        super().__init__(convert_charrefs=True)
        self.blocks, self.pieces, self.points, self.hidden = [], [], [], 0
        with open(path, "rb") as file:
            raw = file.read()
        declared = re.search(rb"charset=[\"']?([\w-]+)", raw[:2048])
        try:
            text = raw.decode(declared.group(1).decode() if declared else "utf-8", "replace")
        except LookupError:
            text = raw.decode("utf-8", "replace")
        self.feed(text)
        self.close()
        self.cut()

    def cut(self):
        words = "".join(self.pieces).split()
        if words:
            self.blocks.append(" ".join(words))
        self.pieces = []

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if tag in HIDDEN:
            self.hidden += 1
        if tag not in INLINE:
            self.cut()
        for name in ("href", "src", "data"):
            if tag in ("a", "area", "img", "iframe", "frame", "object", "embed") and attrs.get(name):
                self.points.append((tag, attrs[name]))

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag in HIDDEN:
            self.hidden -= 1

    def handle_endtag(self, tag):
        if tag in HIDDEN and self.hidden:
            self.hidden -= 1
        if tag not in INLINE:
            self.cut()

    def handle_data(self, data):
        if not self.hidden:
            self.pieces.append(data)


def masked(block):
    return VOLATILE.sub("#", block)


def spellings(version):
    """Of a package's version, 1:9.20.30+dfsg-1~deb13u1: whole, of its source, and the first two numbers; the longest first."""
    whole = version.split(":", 1)[-1]
    source = whole.rsplit("-", 1)[0]
    plain = re.split(r"[+~]", source)[0]
    short = ".".join(plain.split(".")[:2])
    return sorted({one for one in (whole, source, plain, short) if "." in one}, key=len, reverse=True)


def unversioned(blocks, version):
    names = "|".join(re.escape(one) for one in spellings(version))
    return tuple(re.sub(rf"(?<![\w.])(?:{names})(?!\w|\.\d)", "#", block) if names else block for block in blocks)


def hunks(old, new):
    """What was replaced by what: places with as many blocks as before are taken apart, so that each is judged for itself."""
    found = []
    for kind, a, b, c, d in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            continue
        if b - a == d - c:
            found.extend(((x,), (y,)) for x, y in zip(old[a:b], new[c:d]) if x != y)
        else:
            found.append((tuple(old[a:b]), tuple(new[c:d])))
    return found


def kind_of(step, versions=("", "")):
    """A label that needs no other page, or the hunks, each without the version of its package."""
    if step is None:
        return None
    old, new = step
    with open(old, "rb") as a, open(new, "rb") as b:
        if a.read() == b.read():
            return "same"
    old, new = Page(old), Page(new)
    if " ".join(old.blocks) == " ".join(new.blocks):
        return "markup" if sorted(set(old.points)) == sorted(set(new.points)) else "links"
    return [(unversioned(a, versions[0]), unversioned(b, versions[1])) for a, b in hunks(old.blocks, new.blocks)] or "markup"


def label(judged, common):
    if judged is None or isinstance(judged, str):
        return judged
    worst = "stamp"
    for old, new in judged:
        if old == new:
            continue
        numbers = [masked(block) for block in old] == [masked(block) for block in new]
        shared = (old, new) in common
        if numbers and (shared or all(STAMP.search(block) and len(block) < MAX_STAMP for block in new)):
            continue
        if not shared:
            return "content"
        worst = "template"
    return worst


def site(series):
    judged = [[kind_of(*pair) for pair in zip(each["steps"], each.get("versions") or repeat(("", "")))] for each in series]
    steps = max(len(each) for each in judged)
    commons = []
    for nth in range(steps):
        pages = [each[nth] for each in judged if nth < len(each) and each[nth] is not None and each[nth] != "same"]
        counts = Counter(hunk for found in pages if isinstance(found, list) for hunk in set(found))
        commons.append({hunk for hunk, count in counts.items() if count >= max(3, COMMON * len(pages))})
    for each in judged:
        labels, before = [], []
        for nth, found in enumerate(each):
            named = label(found, commons[nth])
            lines = {masked(block) for _, new in found for block in new} if isinstance(found, list) else set()
            if named == "stamp" and len(before) > 1 and lines <= before[-1] and lines <= before[-2]:
                named = "known stamp"
            if named != "same":
                before.append(lines)
            labels.append(named)
        print(json.dumps(labels), flush=True)


def main():
    together = []
    for line in sys.stdin:
        each = json.loads(line)
        if together and together[0]["site"] != each["site"]:
            site(together)
            together = []
        together.append(each)
    if together:
        site(together)


main()
