import { ProviderFailure } from '../provider-failure';
import type { SpeechBlock, SpeechRequest, TextToSpeech } from './text-to-speech';

/** What one request to an engine came to. */
export interface SpeechUse {
  readonly provider: string;
  /** Unicode code points, which is what speech is charged by. */
  readonly characters: number;
  readonly spokenMs: number;
  /** Absent when no sound came. */
  readonly firstSoundMs: number | undefined;
  readonly outcome: 'spoken' | 'abandoned' | 'failed';
}

/** The same engine, telling of every request once it is over, however it ended. */
export function meteredSpeech(engine: TextToSpeech, onUse: (use: SpeechUse) => void): TextToSpeech {
  return {
    get capabilities() {
      return engine.capabilities;
    },
    voices: () => engine.voices(),
    speak: (request) => metered(engine, request, onUse),
    close: () => engine.close(),
  };
}

async function* metered(
  engine: TextToSpeech,
  request: SpeechRequest,
  onUse: (use: SpeechUse) => void,
): AsyncGenerator<SpeechBlock> {
  const startedAtMs = performance.now();
  let firstSoundMs: number | undefined;
  let spokenMs = 0;
  let outcome: SpeechUse['outcome'] = 'abandoned';
  try {
    for await (const block of engine.speak(request)) {
      firstSoundMs ??= performance.now() - startedAtMs;
      spokenMs += (block.samples.length * 1000) / block.sampleRate;
      yield block;
    }
    outcome = 'spoken';
  } catch (failure) {
    if (failure instanceof ProviderFailure) outcome = 'failed';
    throw failure;
  } finally {
    onUse({ provider: engine.capabilities.provider, characters: [...request.text].length, spokenMs, firstSoundMs, outcome });
  }
}
