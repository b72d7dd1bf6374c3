"""The model that is always there: no key, no network, no reasoning.

It sees what any model sees, the request, and calls the same tools. `source`, `scope` and `names` read the shown
text; `suggested`, `names` and `repairs` each propose a repair for a diagnostic; `mend` chooses among them for one
file; `blocks` turns the choice into SEARCH/REPLACE blocks; `model` says all this aloud.
"""

from motet.models.offline.found import Look, Looked, Place
from motet.models.offline.model import OfflineModel

__all__ = ["Look", "Looked", "OfflineModel", "Place"]
