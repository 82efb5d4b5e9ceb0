"""What EPUB 3 asks for beyond Sphinx's own output.

A page's MathML and inline SVG are declared in the manifest, and pictures carry no document type that names a DTD.
"""

import re
from pathlib import Path
from urllib.parse import unquote

from sphinx.builders.epub3 import Epub3Builder


class EpubBuilder(Epub3Builder):
    def build_content(self):
        for picture in Path(self.outdir).rglob("*.svg"):
            text = picture.read_text(encoding="utf-8")
            picture.write_text(re.sub(r"<!DOCTYPE.*?>\s*", "", text, flags=re.DOTALL), encoding="utf-8")
        super().build_content()
        package = Path(self.outdir, "content.opf")

        def declare(item):
            page = Path(self.outdir, unquote(item["href"])).read_text(encoding="utf-8")
            needs = [name for tag, name in (("<math", "mathml"), ("<svg", "svg")) if tag in page]
            return f'{item[0]} properties="{" ".join(needs)}"' if needs else item[0]

        page_item = r'<item id="[^"]*" href="(?P<href>[^"]*)" media-type="application/xhtml\+xml"(?= />)'
        package.write_text(re.sub(page_item, declare, package.read_text(encoding="utf-8")), encoding="utf-8")


def setup(app):
    app.add_builder(EpubBuilder, override=True)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
