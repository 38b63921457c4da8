#!/usr/bin/env python3
"""Which files of a folder can be reached by links? An independent cross-check of the crawler: it shares no code with it.

walk.py ROOT FOLDER START LISTING(0|1): paths of files, one a line; of listings, the folder's.
"""
import os
import sys
from html.parser import HTMLParser
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

ORIGIN = "http://walked.test"
KEPT = {".html", ".htm", ".shtml", ".xhtml", ".txt", ".pdf", ".ps", ".doc", ".rtf"}
READ = {".html", ".htm", ".shtml", ".xhtml"}
MAX_BYTES = 10_000_000


class Links(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.base = None
        self.found = []

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if tag in ("a", "area") and attrs.get("href"):
            self.found.append(attrs["href"])
        elif tag in ("frame", "iframe") and attrs.get("src"):
            self.found.append(attrs["src"])
        elif tag == "base" and self.base is None:
            self.base = attrs.get("href")


def locate(root, folder, path):
    """The file or the folder at a URL's path, and the path itself once slashes are added."""
    parts = os.path.normpath("/" + unquote(path)).lstrip("/")
    real = os.path.realpath(os.path.join(root, folder, parts))
    if real != root and not real.startswith(root + os.sep):
        return None, path
    if os.path.isdir(real):
        if not path.endswith("/"):
            path += "/"
        for name in ("index.html", "index.htm"):
            index = os.path.realpath(os.path.join(real, name))
            if os.path.isfile(index) and index.startswith(root + os.sep):
                return index, path
        return real, path
    return (real if os.path.isfile(real) and not path.endswith("/") else None), path


def links_of(real, path):
    if os.path.isdir(real):
        from urllib.parse import quote
        names = os.listdir(real)
        return [urljoin(ORIGIN + path, quote(name) + ("/" if os.path.isdir(os.path.join(real, name)) else "")) for name in names]
    if os.path.splitext(real)[1].lower() not in READ:
        return []
    with open(real, "rb") as file:
        text = file.read(MAX_BYTES).decode("utf-8", "replace")
    parser = Links()
    parser.feed(text)
    base = urljoin(ORIGIN + path, parser.base) if parser.base else ORIGIN + path
    joined = []
    for href in parser.found:
        try:
            joined.append(urljoin(base, href.strip()))
        except ValueError:
            pass
    return joined


def main():
    root, folder, start, listing = sys.argv[1:5]
    root = os.path.realpath(root)
    seen, found, waiting = set(), set(), ["/" + start]
    while waiting:
        path = waiting.pop()
        if path in seen:
            continue
        seen.add(path)
        real, path = locate(root, folder, path)
        seen.add(path)
        if real is None or (os.path.isdir(real) and listing == "0"):
            continue
        if os.path.isfile(real) and os.path.splitext(real)[1].lower() not in KEPT:
            continue
        found.add(real)
        for url in links_of(real, path):
            try:
                parts = urlsplit(urldefrag(url)[0])
            except ValueError:
                continue
            if f"{parts.scheme}://{parts.netloc}" == ORIGIN and (parts.path or "/") not in seen:
                waiting.append(parts.path or "/")
    sys.stdout.write("".join(f"{path}\n" for path in sorted(found)))


main()
