"""Stylesheets become programs; whatever a program cannot express is an error of the build."""

from __future__ import annotations

import json
from typing import Any

import pytest
from lxml import etree
from tests.support.sat import resources

from timbra.core.errors import ServiceError
from timbra.snapshot.build.cadena_programs import compile_program
from timbra.snapshot.build.stylesheets import DOCUMENTS, program_files

ROOT = '<xsl:template match="/">|<xsl:apply-templates select="/p:a"/>||</xsl:template>'
NAMED = (
    '<xsl:template name="Requerido"><xsl:param name="v"/>|<xsl:call-template name="Plain"><xsl:with-param name="s"'
    ' select="$v"/></xsl:call-template></xsl:template><xsl:template name="Opcional"><xsl:param name="v"/>'
    '<xsl:if test="$v">|<xsl:call-template name="Plain"><xsl:with-param name="s" select="$v"/></xsl:call-template>'
    '</xsl:if></xsl:template><xsl:template name="Plain"><xsl:param name="s"/>'
    '<xsl:value-of select="normalize-space(string($s))"/></xsl:template>'
)


def sheet(content: str) -> etree._Element:
    return etree.fromstring(
        '<xsl:stylesheet version="2.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:p="urn:p">'
        f'<xsl:output method="text"/>{content}</xsl:stylesheet>'
    )


def compiled(content: str, *included: str) -> Any:
    return json.loads(compile_program(sheet(content), [sheet(each) for each in included]))


def call(name: str, select: str) -> str:
    return f'<xsl:call-template name="{name}"><xsl:with-param name="v" select="{select}"/></xsl:call-template>'


def body(content: str) -> Any:
    """Return the instructions of a template for p:a."""
    (template,) = compiled(f'{ROOT}{NAMED}<xsl:template match="p:a">{content}</xsl:template>')["templates"]
    return template[2]


def test_program_has_namespaces_root_and_templates() -> None:
    content = call("Requerido", "./@X")
    assert compiled(f'{ROOT}<xsl:template match="p:a">{content}</xsl:template>', NAMED) == {
        "format": 1,
        "namespaces": ["urn:p"],
        "root": [["text", "|"], ["apply", ["/", [[0, "a"]], ""]], ["text", "||"]],
        "templates": [[0, "a", [["attributes", ["X"]]]]],
    }


@pytest.mark.parametrize(
    ("content", "instructions"),
    [
        (call("Requerido", "./@X") + call("Opcional", "@Y"), [["attributes", ["X", "Y?"]]]),
        (call("Requerido", "./p:b/@X"), [["text", "|"], ["value", ["./", [[0, "b"]], "X"]]]),
        (
            call("Opcional", "p:b/p:c"),
            [["if", ["./", [[0, "b"], [0, "c"]], ""], [["text", "|"], ["value", ["./", [[0, "b"], [0, "c"]], ""]]]]],
        ),
        ('<xsl:apply-templates select="./p:b"/>', [["apply", ["./", [[0, "b"]], ""]]]),
        (
            '<xsl:for-each select=".//p:b/p:c "><xsl:apply-templates select="."/></xsl:for-each>',
            [["each", [".//", [[0, "b"], [0, "c"]], ""], [["apply", ["./", [], ""]]]]],
        ),
        (
            '<xsl:for-each select="./*">' + call("Requerido", ".") + "</xsl:for-each>",
            [["each", ["./", [[-1, "*"]], ""], [["text", "|"], ["value", ["./", [], ""]]]]],
        ),
        (
            f"<xsl:if test=\"./@V='1.1'\">{call('Requerido', '@N')}</xsl:if>",
            [["if-equal", ["./", [], "V"], "1.1", [["attributes", ["N"]]]]],
        ),
        (" \n <xsl:if test='p:b'> x </xsl:if> \t", [["if", ["./", [[0, "b"]], ""], [["text", " x "]]]]),
        (
            f'<xsl:if test="./@X">{call("Requerido", "./@Y")}</xsl:if>',
            [["if", ["./", [], "X"], [["attributes", ["Y"]]]]],
        ),
    ],
)
def test_template_becomes_instructions(content: str, instructions: Any) -> None:
    assert body(content) == instructions


@pytest.mark.parametrize(
    "content",
    [
        "<xsl:choose/>",
        "<literal/>",
        "<xsl:value-of select='@X'/>",
        "<xsl:value-of select='normalize-space(string($unknown))'/>",
        "<xsl:apply-templates/>",
        "<xsl:apply-templates select='.'/>",
        "<xsl:apply-templates select='/p:a'/>",
        "<xsl:apply-templates select='p:b' mode='m'/>",
        "<xsl:apply-templates select='p:b'><xsl:sort/></xsl:apply-templates>",
        "<xsl:apply-templates select='p:b[1]'/>",
        "<xsl:apply-templates select='../p:b'/>",
        "<xsl:apply-templates select='b'/>",
        "<xsl:apply-templates select='q:b'/>",
        "<xsl:apply-templates select='p:b | p:c'/>",
        "<xsl:for-each select='.'>x</xsl:for-each>",
        "<xsl:for-each select='@X'>x</xsl:for-each>",
        "<xsl:if test='not(p:b)'>x</xsl:if>",
        "<xsl:if test=\"count(p:b)='1'\">x</xsl:if>",
        "<xsl:call-template name='Missing'/>",
        "<xsl:call-template name='Requerido'/>",
        "<xsl:call-template name='Requerido'><xsl:with-param name='other' select='@X'/></xsl:call-template>",
        "<xsl:call-template name='Requerido'><xsl:with-param name='v'>x</xsl:with-param></xsl:call-template>",
        "<xsl:param name='p' select='1'/>",
        "<xsl:text>x</xsl:text>",
        "<?instruction?>",
    ],
)
def test_compile_program_rejects_what_programs_cannot_express(content: str) -> None:
    with pytest.raises(ServiceError, match="snapshot-source"):
        body(content)


@pytest.mark.parametrize(
    "content",
    [
        "",
        NAMED,
        ROOT + "<xsl:template match='p:a'/><xsl:template match='p:a'/>",
        ROOT + NAMED + NAMED,
        ROOT + "<xsl:template match='p:a/p:b'/>",
        ROOT + "<xsl:template match='*'/>",
        ROOT + "<xsl:template match='@X'/>",
        ROOT + "<xsl:template match='p:a' priority='2'/>",
        ROOT + "<xsl:template/>",
        ROOT + "<xsl:template match='p:a' name='n'/>",
        ROOT + "<xsl:strip-space elements='*'/>",
        ROOT + "<xsl:output method='xml'/>",
        ROOT + "<xsl:if test='p:a'/>",
        ROOT + "text",
        "<xsl:template match='/'>|<xsl:apply-templates select='p:a'/>||</xsl:template>",
        "<xsl:template match='/'>|<xsl:apply-templates select='/p:a'/></xsl:template>",
        ROOT + "<xsl:template name='n'><xsl:call-template name='n'/></xsl:template>"
        "<xsl:template match='p:a'><xsl:call-template name='n'/></xsl:template>",
    ],
)
def test_compile_program_rejects_other_stylesheets(content: str) -> None:
    with pytest.raises(ServiceError, match="snapshot-source"):
        compiled(content)


def test_template_of_the_document_in_an_included_stylesheet_does_not_count() -> None:
    included = "<xsl:template match='/'>other<xsl:apply-templates select='/p:b'/>other</xsl:template>"
    assert compiled(ROOT, included)["root"][0] == ["text", "|"]


def test_program_files_has_a_program_for_every_stylesheet() -> None:
    files = program_files(resources())
    index = json.loads(files["cadena/index.json"])
    named = {f"cadena/{entry['file']}" for kind in index.values() for entry in kind.values()}
    assert named | {"cadena/index.json"} == set(files)
    assert set(index["cfdi"]) == set(DOCUMENTS)
    assert sum(len(json.loads(files[name])["templates"]) for name in named) > 300
