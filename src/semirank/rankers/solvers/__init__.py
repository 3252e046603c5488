"""How losses are minimised: rounds of boosting, Newton steps, closed forms, conjugate gradients, line search."""
