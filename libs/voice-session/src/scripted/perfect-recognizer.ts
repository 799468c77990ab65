import { joinSamples } from '@parley/audio';
import type { ServerFrame } from '@parley/contracts';
import type { SpeechToText, SpeechToTextCapabilities, Transcription, TranscriptionRequest } from '@parley/ports';
import type { Line } from '../call/surroundings';
import { type Clock, wait } from '../clock';

const sampleRate = 8000;
const hertz = 200;
const wordMs = 300;
const loudnessMin = 2000;
const step = 60;
/** A word is recognized by its loudness in blocks of 10 ms, and counts if at least five of them are heard. */
const blockSamples = sampleRate / 100;
const blocksOfWord = 5;

/** A fake recognizer without errors: each word is a tone whose loudness encodes its number. */
export class PerfectRecognizer implements SpeechToText {
  readonly capabilities: SpeechToTextCapabilities = {
    provider: 'perfect',
    languages: ['english', 'hindi', 'marathi'],
    sampleRates: [sampleRate],
    live: false,
    wordTimings: false,
    languageDetection: false,
    secondsMax: 3600,
    grade: 'demo',
  };
  private readonly words: string[] = [];

  /**
   * @param answerMs How long each request takes, asked anew for every one.
   * @param afterwards May throw what the request fails with.
   */
  constructor(
    private readonly clock: Clock,
    private readonly answerMs: () => number,
    private readonly afterwards: () => void = () => undefined,
  ) {}

  /** The sound of these words, 0.3 s each. */
  say(text: string): Int16Array {
    const sounds = text.split(' ').map((word) => {
      const loudness = loudnessMin + step * this.words.push(word);
      return Int16Array.from({ length: (sampleRate * wordMs) / 1000 }, (_, i) =>
        Math.round(loudness * Math.sin((2 * Math.PI * hertz * i) / sampleRate)),
      );
    });
    return joinSamples(sounds);
  }

  async transcribe({ audio, signal }: TranscriptionRequest): Promise<Transcription> {
    const blocks: Int16Array[] = [];
    for await (const block of audio()) blocks.push(block);
    await wait(this.clock, this.answerMs(), signal ?? new AbortController().signal);
    signal?.throwIfAborted();
    this.afterwards();
    return { text: this.wordsIn(joinSamples(blocks)).join(' '), language: 'english' };
  }

  async models(): Promise<[]> {
    return [];
  }

  async close(): Promise<void> {}

  private wordsIn(sound: Int16Array): string[] {
    const blocks = new Map<number, number>();
    for (let at = 0; at + blockSamples <= sound.length; at += blockSamples) {
      const loudest = sound.subarray(at, at + blockSamples).reduce((most, sample) => Math.max(most, sample), 0);
      const number = Math.round((loudest - loudnessMin) / step);
      blocks.set(number, (blocks.get(number) ?? 0) + 1);
    }
    return [...blocks].flatMap(([number, count]) => (count >= blocksOfWord ? (this.words[number - 1] ?? []) : []));
  }
}

/** A noise as loud as a voice, without words. */
export function babble(ms: number, loudness = 1500): Int16Array {
  return Int16Array.from({ length: (sampleRate * ms) / 1000 }, (_, i) =>
    Math.round(loudness * Math.sin((2 * Math.PI * 330 * i) / sampleRate)),
  );
}

interface Script {
  readonly sampleRate: number;
  readonly hasMarks?: boolean;
  /** The round trip of a mark. */
  readonly markMs?: number;
}

/** A fake line that plays sound in real time, records it, and drops the rest when cleared. */
export class FakeLine implements Line {
  readonly frames: ServerFrame[] = [];
  readonly transfers: string[] = [];
  endedBecause: string | undefined;
  readonly hasMarks: boolean;
  /** Everything played since time zero. */
  private readonly blocks: Int16Array[] = [];
  private untilMs = 0;
  onMark: (name: string) => void = () => undefined;

  constructor(
    private readonly clock: Clock,
    private readonly script: Script,
  ) {
    this.hasMarks = script.hasMarks ?? false;
  }

  play(samples: Int16Array): void {
    const gapMs = this.clock.now() - this.untilMs;
    if (gapMs > 0) this.append(new Int16Array(Math.round((gapMs * this.script.sampleRate) / 1000)));
    this.append(samples.slice());
  }

  clear(): void {
    const heard = this.heard();
    this.blocks.splice(0, this.blocks.length, heard);
    this.untilMs = (heard.length * 1000) / this.script.sampleRate;
  }

  mark(name: string): void {
    const forget = this.clock.wakeAt(Math.max(this.untilMs, this.clock.now()) + (this.script.markMs ?? 0), () => {
      forget();
      this.onMark(name);
    });
  }

  tell(frame: ServerFrame): void {
    this.frames.push(frame);
  }

  transfer(to: string): void {
    this.transfers.push(to);
  }

  end(reason: string): void {
    this.endedBecause = reason;
  }

  /** Everything heard until now. */
  heard(): Int16Array {
    const samples = Math.round((this.clock.now() * this.script.sampleRate) / 1000);
    return joinSamples(this.blocks).slice(0, samples);
  }

  told<Type extends ServerFrame['type']>(type: Type): Extract<ServerFrame, { type: Type }>[] {
    return this.frames.filter((frame): frame is Extract<ServerFrame, { type: Type }> => frame.type === type);
  }

  private append(samples: Int16Array): void {
    this.blocks.push(samples);
    this.untilMs += (samples.length * 1000) / this.script.sampleRate;
  }
}
