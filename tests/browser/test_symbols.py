"""Symbols explain themselves, in the whole book."""


def test_arrow_keys_explain_the_symbols_of_an_equation(book, open_page):
    page = open_page(book + "/foundations/estimating.html")
    page.locator(".formula", has=page.locator("#equation-kv-bytes-per-token")).locator(".equation").focus()
    page.keyboard.press("ArrowRight")
    card = page.locator(".symbol-card")
    assert "cache bytes per token of context" in card.inner_text()
    page.keyboard.press("ArrowRight")
    assert card.inner_text().startswith("layers")
    page.keyboard.press("Escape")
    assert card.is_hidden()


def test_a_worked_example_shows_value_and_origin_and_leads_to_the_notation(book, open_page):
    page = open_page(book + "/foundations/estimating.html")
    box = page.locator(".counted.example .equation").first
    box.hover()
    box.locator("[data-symbol=n_param]").first.hover()
    assert "70,553,706,496" in page.locator(".symbol-card").inner_text()  # as the inputs below the example list it
    box.locator("[data-symbol=n_param]").first.click()
    page.wait_for_url("**/notation.html#notation-n-param")
