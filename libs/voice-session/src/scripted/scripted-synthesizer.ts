import type { SpeechBlock, TimedWord } from '@parley/ports';
import type { Synthesizer } from '../call/surroundings';
import { type Clock, wait } from '../clock';

interface Script {
  readonly sampleRate: number;
  readonly msPerCharacter?: number;
  readonly firstSoundMs?: number;
  /** Time between blocks of a tenth of a second; 0 sends all at once. */
  readonly blockMs?: number;
  readonly tellsWords?: boolean;
  /** Silence before each sentence. */
  readonly silentMs?: number;
  /** The relative duration of each word, by its number. */
  readonly tempo?: (word: number) => number;
}

/** The loudness that encodes a word's number, so that each sample shows which word it belongs to. */
export const loudnessOfWord = (word: number): number => 2000 + word;

/** A fake synthesizer: duration is proportional to letters, and every word of a session has its own loudness. */
export class ScriptedSynthesizer implements Synthesizer {
  /** All words spoken so far, with their length in samples; the index is the word's number. */
  readonly words: { readonly text: string; readonly samples: number }[] = [];
  readonly asked: string[] = [];
  private readonly failures: Error[] = [];

  constructor(
    private readonly clock: Clock,
    private readonly script: Script,
  ) {}

  failNext(failure: Error): void {
    this.failures.push(failure);
  }

  async *speak({ text, signal }: { text: string; signal: AbortSignal }): AsyncGenerator<SpeechBlock> {
    this.asked.push(text);
    const { sampleRate, firstSoundMs = 0, blockMs = 0, tellsWords = false, silentMs = 0 } = this.script;
    await wait(this.clock, firstSoundMs, signal);
    const failure = this.failures.shift();
    if (failure) throw failure;
    const { samples, words } = this.soundOf(text);
    if (silentMs > 0) yield { samples: new Int16Array((sampleRate * silentMs) / 1000), sampleRate };
    const blockSamples = sampleRate / 10;
    for (let at = 0; at < samples.length && !signal.aborted; at += blockSamples) {
      if (at > 0) await wait(this.clock, blockMs, signal);
      const begins = ({ startMs }: TimedWord): boolean => Math.floor(startMs / 100) === at / blockSamples;
      yield { samples: samples.subarray(at, at + blockSamples), sampleRate, ...(tellsWords && { words: words.filter(begins) }) };
    }
  }

  private soundOf(text: string): { samples: Int16Array; words: TimedWord[] } {
    const { sampleRate, msPerCharacter = 50, tempo = () => 1 } = this.script;
    const blocks: Int16Array[] = [];
    const words: TimedWord[] = [];
    let samples = 0;
    for (const part of text.split(/(\s+)/)) {
      const isWord = part.trim() !== '';
      const number = this.words.length;
      const length = Math.round((part.length * msPerCharacter * (isWord ? tempo(number) : 1) * sampleRate) / 1000);
      blocks.push(new Int16Array(length).fill(isWord ? loudnessOfWord(number) : 0));
      const [startMs, endMs] = [(samples * 1000) / sampleRate, ((samples + length) * 1000) / sampleRate];
      if (isWord) words.push({ text: part, startMs, endMs });
      if (isWord) this.words.push({ text: part, samples: length });
      samples += length;
    }
    const sound = new Int16Array(samples);
    let at = 0;
    for (const block of blocks) {
      sound.set(block, at);
      at += block.length;
    }
    return { samples: sound, words };
  }
}
