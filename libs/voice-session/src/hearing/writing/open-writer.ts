import type { SpeechToText, SpokenLanguage } from '@parley/ports';
import { deafCode, DeafWriter, LiveWriter, type TurnWriter, type WrittenEvent } from './live-writer';
import { PiecewiseWriter } from './piecewise-writer';

interface WriterOptions {
  readonly speechToText?: SpeechToText;
  readonly sampleRate: number;
  readonly language?: SpokenLanguage;
  readonly model?: string;
  readonly hearsLive: boolean;
}

/** The best mode for this engine: live where it can, at each pause where it cannot. */
export function openWriter(
  { speechToText: engine, hearsLive, ...request }: WriterOptions,
  tell: (event: WrittenEvent) => void,
): TurnWriter {
  // Without an engine it is known that nothing will be transcribed.
  if (!engine) return new DeafWriter(tell);
  if (engine.capabilities.unavailable !== undefined) {
    tell({ kind: 'deaf', code: deafCode });
    return new DeafWriter(tell);
  }
  if (hearsLive) return new LiveWriter(engine, { ...request, words: engine.capabilities.wordTimings }, tell);
  return new PiecewiseWriter({ ...request, engine }, tell);
}

/** Whether this engine transcribes live at this rate. */
export function isLive(engine: SpeechToText | undefined, sampleRate: number): boolean {
  if (!engine?.listen || engine.capabilities.unavailable !== undefined) return false;
  return engine.capabilities.live && engine.capabilities.sampleRates.includes(sampleRate);
}
