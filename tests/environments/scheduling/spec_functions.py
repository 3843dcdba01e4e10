import numpy as np


def reward_terms(quantities):
    gain = np.asarray(quantities["gain"])[quantities["user"]]
    return {"rate": float(np.log2(1 + 10 ** ((gain + 100) / 10)))}


def constraints(quantities):
    return {"one_of_four": 0 <= quantities["user"] <= 3}
