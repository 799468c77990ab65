import type { TimedWord } from '../spoken-language';
import type { SpeechToText, Transcription, TranscriptionRequest } from './speech-to-text';

interface Piece {
  readonly samples: Int16Array;
  readonly startMs: number;
}

/**
 * Transcribes sound of any length by an engine that takes only short sounds: cut at the quietest moment near the end of
 * each piece, one piece after the other, so that an hour needs no more memory than a minute.
 */
export async function transcribeInPieces(engine: SpeechToText, request: TranscriptionRequest): Promise<Transcription> {
  const texts: string[] = [];
  const words: TimedWord[] = [];
  let heard: Transcription | undefined;
  const secondsMax = Math.min(engine.capabilities.secondsMax, pieceSecondsMax);
  for await (const { samples, startMs } of piecesOf(request.audio(), request.sampleRate, secondsMax)) {
    heard = await engine.transcribe({ ...request, audio: () => once(samples) });
    if (heard.text) texts.push(heard.text);
    words.push(...(heard.words ?? []).map((word) => movedBy(startMs, word)));
  }
  heard ??= await engine.transcribe({ ...request, audio: () => once(new Int16Array(0)) });
  return { ...heard, text: texts.join(' '), ...(heard.words && { words }) };
}

const pieceSecondsMax = 120;

/** Blocks gathered to pieces of at most so many seconds. */
export async function* piecesOf(audio: AsyncIterable<Int16Array>, sampleRate: number, secondsMax: number): AsyncGenerator<Piece> {
  const room = new Int16Array(Math.floor(secondsMax * sampleRate));
  let filled = 0;
  let passed = 0;
  for await (const block of audio) {
    for (let at = 0; at < block.length;) {
      const part = block.subarray(at, at + room.length - filled);
      room.set(part, filled);
      at += part.length;
      filled += part.length;
      if (filled < room.length) continue;
      const cut = quietestCut(room, sampleRate);
      yield { samples: room.slice(0, cut), startMs: (passed * 1000) / sampleRate };
      room.copyWithin(0, cut);
      filled -= cut;
      passed += cut;
    }
  }
  if (filled > 0) yield { samples: room.slice(0, filled), startMs: (passed * 1000) / sampleRate };
}

/** The middle of the quietest fifth of a second in the last third of a piece: hardly ever within a word. */
function quietestCut(samples: Int16Array, sampleRate: number): number {
  const window = Math.round(sampleRate / 5);
  let cut = samples.length;
  let quietest = Number.POSITIVE_INFINITY;
  for (let start = Math.floor((samples.length * 2) / 3); start + window <= samples.length; start += window / 2) {
    let loudness = 0;
    for (const sample of samples.subarray(start, start + window)) loudness += Math.abs(sample);
    if (loudness >= quietest) continue;
    quietest = loudness;
    cut = Math.floor(start + window / 2);
  }
  return cut;
}

function movedBy(startMs: number, word: TimedWord): TimedWord {
  return { text: word.text, startMs: word.startMs + startMs, endMs: word.endMs + startMs };
}

async function* once(samples: Int16Array): AsyncGenerator<Int16Array> {
  if (samples.length > 0) yield samples;
}
