"""Run in every kernel of the documentation: what a shell cell prints comes as one block, without
colors; draws that are kept are read.
"""

import gc
import os
import subprocess
import sys

from IPython.core.magic import register_cell_magic

gc.set_threshold(100_000, 20, 100)  # libraries make many small objects, and keep them

if "BETTERTHAN_DOCS" in os.environ:
    sys.path.append(os.path.join(os.environ["BETTERTHAN_DOCS"], "_ext"))
    import stored_fits

    stored_fits.install()

for _name in ("FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE"):
    os.environ.pop(_name, None)


@register_cell_magic
def bash(line, cell):
    """Like the magic of IPython, but standard output and error are one text, in the order
    written.
    """
    done = subprocess.run(
        ["bash", "-c", cell],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    print(done.stdout, end="")
    if done.returncode:
        raise RuntimeError(f"exit code {done.returncode}")
