"""How losses are minimised: boosting, Newton steps, closed forms, conjugate gradients, line search."""
