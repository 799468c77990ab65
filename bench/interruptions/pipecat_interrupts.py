"""`python pipecat_interrupts.py <folder of sounds>`: pipecat's Silero and its strategies hear sounds while the bot speaks.

Its defaults, and its strategy of at least three words. Lines for each sound: when the bot was interrupted, if it was.
"""

import asyncio
import json
import pathlib
import sys

from loguru import logger

logger.remove()
from pipecat.audio.vad.silero import SileroVADAnalyzer  # noqa: E402
from pipecat.audio.vad.vad_analyzer import VADState  # noqa: E402
from pipecat.frames.frames import BotStartedSpeakingFrame, TranscriptionFrame, VADUserStartedSpeakingFrame  # noqa: E402
from pipecat.turns.user_start.min_words_user_turn_start_strategy import MinWordsUserTurnStartStrategy  # noqa: E402
from pipecat.turns.user_start.transcription_user_turn_start_strategy import TranscriptionUserTurnStartStrategy  # noqa: E402
from pipecat.turns.user_start.vad_user_turn_start_strategy import VADUserTurnStartStrategy  # noqa: E402

FRAME_MS = 20
BYTES_EACH = 2
SETTINGS = {
    "pipecat, defaults": lambda: [VADUserTurnStartStrategy(), TranscriptionUserTurnStartStrategy()],
    "pipecat, three words": lambda: [MinWordsUserTurnStartStrategy(min_words=3)],
}


async def events_of(sound: dict, pcm: bytes) -> list[tuple[int, object]]:
    """What its detector and a recognizer that hears whole voices say after the sound began."""
    rate = sound["sampleRate"]
    analyzer = SileroVADAnalyzer(sample_rate=rate)
    analyzer.set_sample_rate(rate)
    step = rate * FRAME_MS // 1000 * BYTES_EACH
    events, is_speaking = [], False
    for place, at in enumerate(range(0, len(pcm), step)):
        now = (place + 1) * FRAME_MS
        state = await analyzer.analyze_audio(pcm[at : at + step])
        if state == VADState.SPEAKING and not is_speaking:
            is_speaking = True
            if now > sound["atMs"]:
                events.append((now, VADUserStartedSpeakingFrame()))
        if state == VADState.QUIET and is_speaking:
            is_speaking = False
            if now > sound["atMs"] and sound["text"]:
                events.append((now, TranscriptionFrame(text=sound["text"], user_id="caller", timestamp="")))
    await analyzer.cleanup()
    return events


async def interrupted_at(strategies: list, events: list[tuple[int, object]]) -> int | None:
    """The first moment at which one of the strategies starts a turn of the user."""
    started = []
    for strategy in strategies:

        async def note(*_args) -> None:
            started.append(True)

        strategy.add_event_handler("on_user_turn_started", note)
        await strategy.process_frame(BotStartedSpeakingFrame())
    for now, frame in events:
        for strategy in strategies:
            await strategy.process_frame(frame)
        if started:
            return now
    return None


async def main(folder: pathlib.Path) -> None:
    for sound in json.loads((folder / "index.json").read_text()):
        events = await events_of(sound, (folder / sound["file"]).read_bytes())
        for setting, make in SETTINGS.items():
            at = await interrupted_at(make(), events)
            after = {} if at is None else {"fromMs": at - sound["atMs"]}
            print(json.dumps({"setting": setting, "tookFloor": at is not None, **after}), flush=True)


asyncio.run(main(pathlib.Path(sys.argv[1])))
