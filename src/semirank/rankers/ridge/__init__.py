"""Ridge least squares over pairs of labelled items: its forms, and what it finds when labels are left out."""
