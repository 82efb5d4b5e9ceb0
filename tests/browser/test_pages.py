"""Pages of the book in a browser."""


def test_a_page_opens(tiny, open_page):
    page = open_page(tiny("page", {"one": "# One\n\nText.\n"}) + "/one.html")
    assert page.title()
