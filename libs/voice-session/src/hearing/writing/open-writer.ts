import type { SpeechToText, SpokenLanguage } from '@parley/ports';
import { transcriptionFailedCode, NullWriter, LiveWriter, type TurnWriter, type WrittenEvent } from './live-writer';
import { PiecewiseWriter } from './piecewise-writer';

interface WriterOptions {
  readonly speechToText?: SpeechToText;
  readonly sampleRate: number;
  readonly language?: SpokenLanguage;
  readonly model?: string;
  readonly hearsLive: boolean;
}

/** Opens a writer: live if the engine can, otherwise one that transcribes at pauses. */
export function openWriter(
  { speechToText: engine, hearsLive, ...request }: WriterOptions,
  tell: (event: WrittenEvent) => void,
): TurnWriter {
  // Without an engine no transcript is expected, so no failure is reported.
  if (!engine) return new NullWriter(tell);
  if (engine.capabilities.unavailable !== undefined) {
    tell({ kind: 'recognition-failed', code: transcriptionFailedCode });
    return new NullWriter(tell);
  }
  if (hearsLive) return new LiveWriter(engine, { ...request, words: engine.capabilities.wordTimings }, tell);
  return new PiecewiseWriter({ ...request, engine }, tell);
}

/** Whether this engine transcribes live at this rate. */
export function isLive(engine: SpeechToText | undefined, sampleRate: number): boolean {
  if (!engine?.listen || engine.capabilities.unavailable !== undefined) return false;
  return engine.capabilities.live && engine.capabilities.sampleRates.includes(sampleRate);
}
