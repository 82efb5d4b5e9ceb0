"""Chapters count through the whole book: Sphinx would start again at 1 in every part of the contents page."""

from docutils import nodes
from sphinx import addnodes
from sphinx.environment.collectors.toctree import TocTreeCollector

number_each_part = TocTreeCollector.assign_section_numbers


def shift(env, docname, offset):
    """Add the chapters of earlier parts to every number of one document."""

    def moved(number):
        return (number[0] + offset, *number[1:]) if number else number

    numbers = env.toc_secnumbers[docname]
    env.toc_secnumbers[docname] = {anchor: moved(number) for anchor, number in numbers.items()}
    for node in [env.titles[docname], *env.tocs[docname].findall(nodes.reference)]:
        if "secnumber" in node:
            node["secnumber"] = moved(node["secnumber"])


def below(env, docname):
    """The pages that a chapter has of its own, and theirs."""
    for inner in env.toctree_includes.get(docname, ()):
        yield inner
        yield from below(env, inner)


def number_whole_book(self, env):
    before, offset = env.toc_secnumbers, 0
    number_each_part(self, env)
    for toctree in env.get_doctree(env.config.root_doc).findall(addnodes.toctree):
        if toctree.get("numbered"):
            for docname in toctree["includefiles"]:
                for document in [docname, *below(env, docname)]:
                    if document in env.toc_secnumbers:  # deeper pages have no number
                        shift(env, document, offset)
            offset += len(toctree["includefiles"])
    return [docname for docname, numbers in env.toc_secnumbers.items() if numbers != before.get(docname)]


def setup(app):
    TocTreeCollector.assign_section_numbers = number_whole_book
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
