from hypothesis import settings

settings.register_profile("book", max_examples=60, deadline=None, derandomize=True, database=None)
settings.load_profile("book")
