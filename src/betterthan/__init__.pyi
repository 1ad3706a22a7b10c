from . import (
    counts as counts,
)
from . import (
    datasets as datasets,
)
from . import (
    features as features,
)
from . import (
    fits as fits,
)
from . import (
    io as io,
)
from . import (
    judged as judged,
)
from . import (
    labels as labels,
)
from . import (
    logs as logs,
)
from . import (
    models as models,
)
from . import (
    orders as orders,
)
from . import (
    people as people,
)
from . import (
    plan as plan,
)
from . import (
    plot as plot,
)
from . import (
    posterior as posterior,
)
from . import (
    runs as runs,
)
from . import (
    scores as scores,
)
from . import (
    significance as significance,
)
from .auditing.audit import audit as audit
from .comparison.advice import advise as advise
from .comparison.compare import compare as compare
from .gating.deciding import gate as gate
from .logs.reading import read_logs as read_logs
from .posterior.closed import difference as difference
from .posterior.closed import prob_better as prob_better
from .posterior.closed import prob_equivalent as prob_equivalent
from .reading.inputs import count as count
from .reading.read import read as read
from .results.comparison import load as load
from .results.provenance import signature as signature
from .results.reports import report as report
from .significance.randomizing import randomization_test as randomization_test
from .significance.signs import sign_test as sign_test

__version__: str
