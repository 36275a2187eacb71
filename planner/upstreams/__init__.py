"""The health of what is outside: may it be called now, how did it answer, and who must mend it.

with upstreams.calling(Upstream.ASR, seconds=20):   # raises Failure (down) while nobody may call
    answer = ...                                    # raises Failure: counted by what it says of the upstream

VoiceClip.claim(lease, shut=upstreams.down(Upstream.ASR))   # what needs it stays where it is meanwhile
"""

from planner.upstreams.calls import DRY, SHUT, calling, down, resume, shut, states
from planner.upstreams.machine import Phase, State
from planner.upstreams.names import LABELS, WAITING, Upstream

__all__ = [
    "DRY", "LABELS", "SHUT", "WAITING", "Phase", "State", "Upstream", "calling", "down", "resume", "shut", "states",
]  # fmt: skip
