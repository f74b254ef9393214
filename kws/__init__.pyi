# SPDX-License-Identifier: Apache-2.0
from kws.api import Hit as Hit
from kws.api import Model as Model
from kws.api import Scores as Scores
from kws.api import evaluate as evaluate
from kws.api import load as load
from kws.api import microphone as microphone
from kws.api import spectrogram as spectrogram

__version__: str
