"""Sphinx settings of the book, for HTML, EPUB and PDF."""

import sys
import tomllib
from pathlib import Path

CONF = Path(__file__).parent
ROOT = CONF.parent
sys.path.insert(0, str(CONF / "ext"))

pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
address = pyproject["tool"]["aiinfra"]  # where the project is published; empty until it is

project = "AI Infra Book"
subtitle = "Quantitative analysis and system design for large language models"
author = "The AI Infra Book authors"
copyright = f"2026, {author}. Text under CC BY 4.0, code under Apache-2.0"
version = release = pyproject["project"]["version"]
language = "en"

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.doctest",
    "sphinxcontrib.bibtex",
    "aiinfra.book",
    "katex_math",
    "part_numbers",
    "epub_properties",
    "print_style",
    "quick_references",
    "citation_labels",
    "accessible",
    "symbol_cards",
    "theme_files",
    "published",
    "equation_previews",
    "page_notes",
]
exclude_patterns = ["_build"]
nitpicky = True
nitpick_ignore_regex = [("py:.*", ".*")]  # types in signatures, of which most are of other packages
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True
smartquotes_action = "qe"  # no dashes: sources name files such as Qwen--Qwen3-8B_config.json
numfig = True
math_numfig = True
numfig_secnum_depth = 1  # Figure 1.2, Table 1.2, equation (1.2): by chapter
math_eqref_format = "({number})"
highlight_language = "python"

myst_enable_extensions = ["attrs_block", "attrs_inline", "colon_fence", "deflist", "dollarmath", "fieldlist", "smartquotes"]
myst_heading_anchors = 3
bibtex_bibfiles = [f"../bib/{path.name}" for path in sorted((ROOT / "bib").glob("*.bib"))]
bibtex_reference_style = "label"
bibtex_default_style = "author_year"

html_theme = "furo"
html_title = project
html_baseurl = address["site"]
repository = address["repository"]
html_static_path = ["static"]
html_css_files = ["book.css"]
html_favicon = "static/icon.svg"
html_math_renderer = "katex"
templates_path = ["templates"]
html_sidebars = {
    "**": [f"sidebar/{part}.html" for part in ("brand", "search", "scroll-start", "navigation")]
    + ["index-link.html", "sidebar/scroll-end.html"]
}
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {"top_of_page_buttons": []}
if repository:
    html_theme_options |= {
        "source_repository": repository,
        "source_branch": "main",
        "source_directory": "docs/",
        "top_of_page_buttons": ["edit"],
    }

epub_contributor = author
epub_basename = "ai-infra-book"
epub_title = project
epub_description = subtitle
epub_identifier = epub_uid = "ai-infra-book"
epub_scheme = "ID"
epub_css_files = ["epub.css"]
epub_show_urls = "no"
epub_tocdup = False
epub_exclude_files = ["_static/book.css", "_static/theme.js", "_static/icon.png", "_static/icon.svg"]

latex_engine = "xelatex"
latex_documents = [("index", "ai-infra-book.tex", project, author, "manual")]
latex_docclass = {"manual": "book"}
latex_toplevel_sectioning = "chapter"
latex_use_xindy = False
latex_table_style = ["booktabs"]
latex_show_urls = "no"
latex_additional_files = ["preamble.tex"]
latex_elements = {
    "papersize": "b5paper",
    "pointsize": "10pt",
    "extraclassoptions": "twoside,openany",
    "geometry": r"\usepackage[b5paper,inner=22mm,outer=19mm,top=24mm,bottom=22mm,headsep=6mm]{geometry}",
    "fontpkg": (CONF / "fonts.tex").read_text(encoding="utf-8"),
    "fncychap": "",
    "fvset": r"\fvset{fontsize=\footnotesize}",
    "sphinxsetup": "verbatimwithframe=false,VerbatimColor={RGB}{244,245,247},InnerLinkColor={RGB}{24,66,120},"
    "OuterLinkColor={RGB}{24,66,120},TitleColor={RGB}{20,30,45}",
    "preamble": rf"\newcommand{{\booksubtitle}}{{{subtitle}}}" "\n" r"\input{preamble.tex}",
    "maketitle": r"\frontmatter\sphinxmaketitle",
    "tableofcontents": r"\renewcommand{\contentsname}{Contents}\pagestyle{normal}\tableofcontents",
    "figure_align": "htbp",
}
