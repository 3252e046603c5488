"""How the site is built: `pip install -e ".[docs]" && sphinx-build -W docs site`."""

import sys
from importlib.metadata import version as installed
from pathlib import Path

DOCS = Path(__file__).parent
ROOMS = ("by_example", "judging", "lists", "reading", "yours")  # of examples/, in this order
sys.path.insert(0, str(DOCS / "_ext"))

project = "semirank"
author = "The semirank developers"
copyright = "the semirank developers, BSD-3-Clause"
version = release = installed("semirank")

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "defaults",  # this and the next are in _ext
    "mathml",
    "outside",
]
templates_path = ["_templates"]
exclude_patterns = ["_*"]
default_role = "py:obj"  # docstrings write names in single backticks

# Markdown: equations in dollars, links to headings as the code host makes them
myst_enable_extensions = ["attrs_block", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 4

# Reference: signatures show defaults, docstrings say types
autosummary_generate = True
autodoc_typehints = "none"
toc_object_entries_show_parents = "hide"
numpydoc_show_class_members = False

# Gallery: every example runs while the site is built
sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"\.py$",
    "subsection_order": [f"../examples/{room}" for room in ROOMS],
    "within_subsection_order": "pictures.FirstThingsFirst",
    "reset_modules": ("matplotlib", "pictures.reset"),
    "abort_on_example_error": True,
    "backreferences_dir": "gallery/uses",
    "doc_module": ("semirank",),
    "reference_url": {"semirank": None},
    "download_all_examples": False,
    "show_signature": False,
    "show_memory": False,
    "min_reported_time": 3600,
    "write_computation_times": False,
    "remove_config_comments": True,
    "image_srcset": ["2x"],
    "thumbnail_size": (560, 400),
}

# Looks
html_theme = "pydata_sphinx_theme"
html_title = "semirank"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_favicon = "_static/mark.svg"
html_show_sourcelink = False
html_copy_source = False
html_math_renderer = "mathml"
html_sidebars = {"index": [], "start": []}
html_context = {"default_mode": "auto"}
html_theme_options = {
    "logo": {"text": "semirank", "image_light": "_static/mark.svg", "image_dark": "_static/mark.svg"},
    "header_links_before_dropdown": 7,
    "navbar_align": "left",
    "navbar_end": ["theme-switcher"],
    "navigation_with_keys": False,
    "show_prev_next": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
}
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
