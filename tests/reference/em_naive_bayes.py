"""EM for a mixture of multinomials, document by document and word by word, with probabilities instead of logarithms.

`y` contains the class of each document or None, `weight` its weight in the M step, `prior_of` whether the document
counts for the class proportions (those of a source do not).
"""

import math


def posterior(X, y, theta, pi):
    """E step: P(class | document), Nigam et al. 2000, and one-hot if the label is given."""
    V = []
    for i in range(len(X)):
        joint = []
        for c in range(len(pi)):
            if y[i] is not None:
                joint.append(1.0 if y[i] == c else 0.0)
                continue
            p = pi[c]
            for w in range(len(theta)):
                p *= theta[w][c] ** X[i][w]
            joint.append(p)
        V.append([p / sum(joint) for p in joint])
    return V


def word_proportions(X, V, weight, alpha):
    """M step: theta_wc = (alpha + sum_i x_iw v_ic) / (alpha |words| + sum_iw x_iw v_ic), weighted."""
    n_words, n_classes = len(X[0]), len(V[0])
    theta = [[0.0] * n_classes for _ in range(n_words)]
    for c in range(n_classes):
        for w in range(n_words):
            theta[w][c] = alpha
            for i in range(len(X)):
                theta[w][c] += weight[i] * X[i][w] * V[i][c]
        total = sum(theta[w][c] for w in range(n_words))
        for w in range(n_words):
            theta[w][c] /= total
    return theta


def class_proportions(V, prior_of):
    """M step: pi_c = (1 + sum_i v_ic) / (|classes| + |documents|) over the documents of the target."""
    n_classes = len(V[0])
    of_target = [V[i] for i in range(len(V)) if prior_of[i]]
    return [(1 + sum(v[c] for v in of_target)) / (n_classes + len(of_target)) for c in range(n_classes)]


def objective(X, y, weight, prior_of, theta, pi, alpha, estimate_pi):
    """Minus the log likelihood of the words and given labels, minus the log of the Dirichlet priors."""
    total = 0.0
    for i in range(len(X)):
        likelihood = 0.0
        for c in range(len(pi)):
            if y[i] is not None and y[i] != c:
                continue
            p = pi[c] if prior_of[i] else 1.0
            for w in range(len(theta)):
                p *= theta[w][c] ** X[i][w]
            likelihood += p
        total += weight[i] * math.log(likelihood)
    total += alpha * sum(math.log(p) for row in theta for p in row)
    if estimate_pi:
        total += sum(math.log(p) for p in pi)
    return -total
