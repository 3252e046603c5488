"""Equations as MathML, which browsers draw by themselves: no script, no font, no network."""

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.util.logging import getLogger

logger = getLogger(__name__)


def _mathml(node, as_block):
    try:
        found = tex2mathml(node.astext(), as_block=as_block)
        return found.replace('<mo class="mathopen">|', '<mo class="mathopen" form="prefix">|')
    except MathError as error:
        logger.warning("%s: %s", error, node.astext(), location=node)
        return ""


def _inline(page, node):
    page.body.append(_mathml(node, as_block=False))
    raise nodes.SkipNode


def _block(page, node):
    page.body.append(f'<div class="math">{_mathml(node, as_block=True)}</div>\n')
    raise nodes.SkipNode


def setup(app):
    """Let `html_math_renderer = "mathml"` draw equations."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
