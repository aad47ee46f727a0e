"""Versions of the headers with which the extension was compiled. This module does not touch lxml or libxml2."""

cdef extern from "libxml/xmlversion.h":
    const int LIBXML_VERSION

cdef extern from "lxml-version.h":
    const char* LXML_VERSION_STRING

LIBXML2_NUMBER = LIBXML_VERSION
LXML_VERSION = LXML_VERSION_STRING.decode("ascii")
