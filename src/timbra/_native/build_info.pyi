LIBXML2_NUMBER: int
"""Version of the libxml2 headers, 21406 for 2.14.6."""
LXML_VERSION: str
"""Version of lxml at the compilation."""
