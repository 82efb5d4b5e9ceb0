"""Labels of sources as the text cites them: [Pope *et al.*, 2022], with a letter where the year alone does not tell."""

from collections import Counter, defaultdict
from string import ascii_lowercase

import pybtex.plugin
from pybtex.style.formatting.unsrt import Style as Unsrt
from pybtex.style.labels import BaseLabelStyle
from pybtex.style.sorting import BaseSortingStyle
from pybtex.style.template import field, sentence


def name(person):
    return " ".join([*person.prelast_names, *person.last_names]).strip("{}")  # {NVIDIA}: one name, kept whole


def author_and_year(entry):
    people = entry.persons.get("author") or entry.persons.get("editor") or []
    names = [name(person) for person in people]
    who = " and ".join(names) if len(names) < 3 else f"{names[0]} et al."
    return f"{who or entry.fields.get('organization', entry.key)}, {entry.fields.get('year', 'n.d.')}"


class LabelStyle(BaseLabelStyle):
    def format_labels(self, sorted_entries):
        labels = [author_and_year(entry) for entry in sorted_entries]
        shared, seen = Counter(labels), defaultdict(int)
        for label in labels:
            yield label + (ascii_lowercase[seen[label]] if shared[label] > 1 else "")
            seen[label] += 1


class SortingStyle(BaseSortingStyle):
    def sorting_key(self, entry):
        return author_and_year(entry).casefold(), entry.fields.get("title", "")


class Style(Unsrt):
    default_label_style = LabelStyle
    default_sorting_style = SortingStyle

    def format_title(self, e, which_field, as_sentence=True):
        """Titles keep the capitals that their bibliography entries have."""
        title = field(which_field)
        return sentence[title] if as_sentence else title


def setup(app):
    pybtex.plugin.register_plugin("pybtex.style.formatting", "author_year", Style)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
