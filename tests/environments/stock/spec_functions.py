import numpy as np


def reward_terms(quantities):
    order, demand = np.asarray(quantities["order"]), np.asarray(quantities["demand"])
    before, stock = np.asarray(quantities["previous_stock"]), np.asarray(quantities["stock"])
    available = np.minimum(before + order, 40.0)
    sold = np.minimum(available, demand)
    return {
        "sales": float(6.0 * sold.sum()),
        "ordering": float(-(10.0 * (order > 0) + 2.0 * order).sum()),
        "holding": float(-0.5 * stock.sum()),
        "lost": float(-(demand - sold).sum()),
    }


def constraints(quantities):
    return {"shelf": bool(np.all(np.asarray(quantities["stock"]) <= 40.0 + 1e-9))}
