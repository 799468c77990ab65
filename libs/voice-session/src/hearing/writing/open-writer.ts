import type { SpeechToText, SpokenLanguage } from '@parley/ports';
import { LiveWriter } from './live-writer';
import { PiecewiseWriter } from './piecewise-writer';
import { deafCode, DeafWriter, type TurnWriter, type WrittenEvent } from './turn-writer';

export interface WriterOptions {
  readonly speechToText?: SpeechToText;
  readonly sampleRate: number;
  readonly language?: SpokenLanguage;
  readonly model?: string;
}

/** The way in which this engine writes best: while somebody speaks where it can, at every pause where it cannot. */
export function openWriter({ speechToText: engine, ...request }: WriterOptions, tell: (event: WrittenEvent) => void): TurnWriter {
  // Whoever gave no engine knows that nothing will be written down.
  if (!engine) return new DeafWriter(tell);
  if (engine.capabilities.unavailable !== undefined) {
    tell({ kind: 'deaf', code: deafCode });
    return new DeafWriter(tell);
  }
  const { live, sampleRates, wordTimings } = engine.capabilities;
  const hearsLive = live && engine.listen !== undefined && sampleRates.includes(request.sampleRate);
  if (hearsLive) return new LiveWriter(engine, { ...request, words: wordTimings }, tell);
  return new PiecewiseWriter({ ...request, engine }, tell);
}
