from hypothesis import settings

settings.register_profile("book", max_examples=60, deadline=None, derandomize=True)
settings.load_profile("book")
