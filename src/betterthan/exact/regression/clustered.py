"""Standard errors of least squares whose rows come in groups, also where the groups are few: CR2.

The sum over the rows of a group is taken of residuals times (I - H_gg)^(-1/2), H the hat matrix:
were all rows independent, the variances would be unbiased. Student's t gets the degrees of freedom
of Satterthwaite's approximation under the same assumption, other ones for each coefficient.

Bell & McCaffrey (2002), Survey Methodology 28(2), 169-181; Imbens & Kolesar (2016), Review of
Economics and Statistics 98(4), doi:10.1162/REST_a_00552; Pustejovsky & Tipton (2018), Journal of
Business & Economic Statistics 36(4), doi:10.1080/07350015.2016.1247004.
"""

import numpy as np

_FREE = 1e-9  # a direction of which a group leaves less than this free rests on the group alone


def errors(
    basis: np.ndarray, inverse: np.ndarray, left: np.ndarray, groups: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Standard errors of the coefficients, and their degrees of freedom, (coefficient,) each.

    `basis` Q (row, column) and `inverse` R^-1 are of the design QR, `left` are the residuals,
    `groups` numbers from 0.
    """
    count, columns = int(groups.max()) + 1, basis.shape[1]
    scores, squares = np.zeros((count, columns)), np.zeros((count, columns, columns))
    np.add.at(scores, groups, basis * left[:, None])
    np.add.at(squares, groups, basis[:, :, None] * basis[:, None, :])
    # Q_g' (I - Q_g Q_g')^(-1/2) = (I - Q_g' Q_g)^(-1/2) Q_g'
    values, vectors = np.linalg.eigh(squares)
    free = 1 - values
    root = np.where(free > _FREE, free, np.inf) ** -0.5
    swell = (vectors * root[:, None, :]) @ vectors.swapaxes(1, 2)
    parts = np.einsum("gkl,gl,jk->gj", swell, scores, inverse)
    return np.sqrt((parts**2).sum(0)), _freedom(squares, swell, inverse)


def _freedom(squares: np.ndarray, swell: np.ndarray, inverse: np.ndarray) -> np.ndarray:
    """Trace squared over squared norm of the matrix of the variance, diag(d) - shared shared'."""
    shared = np.einsum("gkl,jl->jgk", squares @ swell, inverse)
    diagonal = np.einsum("jk,gkl,jl->jg", inverse, swell @ squares @ swell, inverse)
    length = (shared**2).sum(-1)
    norm = (diagonal**2 - 2 * diagonal * length).sum(-1)
    norm += (np.einsum("jgk,jgl->jkl", shared, shared) ** 2).sum((-2, -1))
    return (diagonal - length).sum(-1) ** 2 / norm
