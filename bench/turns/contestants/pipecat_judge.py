"""`python pipecat_judge.py <folder of sounds>`: pipecat judges sounds with its own analyzer and the smart-turn model of its wheel.

A line for each sound: how likely the turn is over, what it has to reach, and how long that took.
"""

import asyncio
import json
import pathlib
import sys
import time

from loguru import logger

logger.remove()
from pipecat.audio.turn.smart_turn.local_smart_turn_v3 import LocalSmartTurnAnalyzerV3  # noqa: E402

FRAME_SECONDS = 0.02
BYTES_EACH = 2


async def main(folder: pathlib.Path) -> None:
    for sound in json.loads((folder / "index.json").read_text()):
        rate = sound["sampleRate"]
        analyzer = LocalSmartTurnAnalyzerV3(sample_rate=rate)
        analyzer.set_sample_rate(rate)
        pcm = (folder / sound["file"]).read_bytes()
        step = int(rate * FRAME_SECONDS) * BYTES_EACH
        for at in range(0, len(pcm), step):
            analyzer.append_audio(pcm[at : at + step], True)
        begun = time.perf_counter()
        _, metrics = await analyzer.analyze_end_of_turn()
        taken = (time.perf_counter() - begun) * 1000
        print(json.dumps({"done": metrics.probability, "from": 0.5, "ms": taken}), flush=True)
        await analyzer.cleanup()


asyncio.run(main(pathlib.Path(sys.argv[1])))
