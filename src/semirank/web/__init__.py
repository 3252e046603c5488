"""The feedback app: one project a file, HTTP for the owner's browser, pages."""
