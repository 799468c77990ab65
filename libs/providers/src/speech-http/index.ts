import { bytesFromSamples, Resampler, samplesFromBytes, wavHeader } from '@parley/audio';
import { sentencesOf, speakableIn } from '@parley/language';
import {
  ProviderFailure,
  type SpeechBlock,
  type SpeechRequest,
  type SpeechToText,
  type SpeechToTextCapabilities,
  type SpokenLanguage,
  type TextToSpeech,
  type TextToSpeechCapabilities,
  type Transcription,
  type TranscriptionModel,
  type TranscriptionRequest,
  type Voice,
} from '@parley/ports';

/** A request for speech, for which the provider's protocol only determines the wire format. */
interface SpeechAsk {
  readonly text: string;
  readonly language: SpokenLanguage;
  readonly voice: string;
  readonly pace: number;
  readonly sampleRate: number;
  readonly signal?: AbortSignal;
}

/** What differs between providers. */
interface SpeechProtocol {
  readonly capabilities: TextToSpeechCapabilities;
  readonly voices: readonly Voice[];
  /** The maximum number of characters per request. */
  readonly charactersPerCall: number;
  /** Whether a customer's own, unlisted voices may be used. */
  readonly takesOwnVoices: boolean;
  speak(ask: SpeechAsk): AsyncIterable<SpeechBlock>;
}

/** A text-to-speech provider over HTTP, for any protocol. */
export class SpeakingProvider implements TextToSpeech {
  constructor(private readonly protocol: SpeechProtocol) {}

  get capabilities(): TextToSpeechCapabilities {
    return this.protocol.capabilities;
  }

  async voices(): Promise<readonly Voice[]> {
    return this.protocol.voices;
  }

  async *speak({ text, language, pace = 1, signal, beforePiece, ...wish }: SpeechRequest): AsyncGenerator<SpeechBlock> {
    const voice = this.voiceFor(language, wish.voice);
    const sampleRate = nearest(this.capabilities.sampleRates, wish.sampleRate);
    const all = parts(speakableIn[language](text), this.protocol.charactersPerCall);
    const shareOf = ratio([...text].length, all);
    for (const [at, part] of all.entries()) {
      await beforePiece?.(shareOf(at));
      signal?.throwIfAborted();
      yield* this.protocol.speak({ text: part, language, voice, pace, sampleRate, signal });
    }
  }

  async close(): Promise<void> {}

  private voiceFor(language: SpokenLanguage, wanted: string | undefined): string {
    const { capabilities, voices, takesOwnVoices } = this.protocol;
    const able = voices.filter(({ languages }) => languages.includes(language));
    const voice = wanted === undefined ? able[0]?.id : able.find(({ id }) => id === wanted)?.id;
    if (!capabilities.languages.includes(language)) throw this.refusal(`does not speak ${language}`);
    if (voice === undefined && wanted !== undefined && takesOwnVoices && !voices.some(({ id }) => id === wanted)) return wanted;
    if (voice === undefined) throw this.refusal(`has no voice ${wanted} for ${language}`);
    return voice;
  }

  private refusal(message: string): ProviderFailure {
    return new ProviderFailure(this.capabilities.provider, message, { retryable: false });
  }
}

/** The wanted rate if supported, otherwise the next higher or the highest one. Without a wish, the provider's default. */
function nearest(rates: readonly number[], wish: number | undefined): number {
  if (wish === undefined) return rates[0] ?? 16_000;
  const enough = rates.filter((rate) => rate >= wish);
  return enough.length > 0 ? Math.min(...enough) : Math.max(...rates);
}

/** How many characters of a text have been sent with this part and those before it. In speakable text, numbers are longer. */
function ratio(characters: number, all: readonly string[]): (at: number) => number {
  const lengthOf = (some: readonly string[]): number => some.reduce((sum, { length }) => sum + length, 0);
  return (at) => Math.ceil((characters * lengthOf(all.slice(0, at + 1))) / lengthOf(all));
}

/** Splits text into parts of whole sentences, as long as one request allows. */
function parts(text: string, charactersMax: number): string[] {
  const all: string[] = [];
  for (const sentence of sentencesOf(text)) {
    const joined = `${all.at(-1) ?? ''} ${sentence}`.trim();
    if (all.length > 0 && joined.length <= charactersMax) all[all.length - 1] = joined;
    else all.push(sentence);
  }
  return all;
}

/** A request for a transcript, of a WAV file at the provider's first rate. */
interface HearingAsk {
  readonly wav: Uint8Array<ArrayBuffer>;
  readonly language: SpokenLanguage | undefined;
  readonly model: string;
  readonly words: boolean;
  readonly signal?: AbortSignal;
}

/** What differs between providers. */
interface HearingProtocol {
  readonly capabilities: SpeechToTextCapabilities;
  readonly models: readonly TranscriptionModel[];
  hear(ask: HearingAsk): Promise<Transcription>;
  listen?: SpeechToText['listen'];
}

/** A speech-to-text provider over HTTP, for any protocol. */
export class HearingProvider implements SpeechToText {
  readonly listen: SpeechToText['listen'];

  constructor(private readonly protocol: HearingProtocol) {
    this.listen = protocol.listen;
  }

  get capabilities(): SpeechToTextCapabilities {
    return this.protocol.capabilities;
  }

  async models(): Promise<readonly TranscriptionModel[]> {
    return this.protocol.models;
  }

  async transcribe(request: TranscriptionRequest): Promise<Transcription> {
    const { language, model = this.protocol.models[0]?.id ?? '', words = false, signal } = request;
    const { languages, sampleRates, wordTimings } = this.capabilities;
    if (language && !languages.includes(language)) throw this.refusal(`does not hear ${language}`);
    signal?.throwIfAborted();
    const sampleRate = sampleRates[0] ?? 16_000;
    const blocks = await this.gather(request, sampleRate);
    const dataBytes = blocks.reduce((sum, { byteLength }) => sum + byteLength, 0);
    if (dataBytes === 0) return { text: '', language, ...(words && wordTimings && { words: [] }) };
    const wav = Buffer.concat([wavHeader({ sampleRate, dataBytes }), ...blocks.map(bytesFromSamples)]);
    const heard = await this.protocol.hear({ wav, language, model, words: words && wordTimings, signal });
    return { ...heard, text: heard.text.trim() };
  }

  async close(): Promise<void> {}

  private async gather({ audio, sampleRate }: TranscriptionRequest, toRate: number): Promise<Int16Array[]> {
    const resampler = await Resampler.create(sampleRate, toRate);
    const blocks: Int16Array[] = [];
    let length = 0;
    try {
      for await (const block of audio()) {
        length += block.length;
        if (length > this.capabilities.secondsMax * sampleRate)
          throw this.refusal(`takes ${this.capabilities.secondsMax} seconds at most`);
        blocks.push(resampler.push(block).slice());
      }
      return [...blocks, resampler.flush()];
    } finally {
      resampler.close();
    }
  }

  private refusal(message: string): ProviderFailure {
    return new ProviderFailure(this.capabilities.provider, message, { retryable: false });
  }
}

/** Reads a body of little-endian 16-bit samples as it arrives, joining samples split between chunks. */
export async function* pcmBlocks(response: Response, sampleRate: number, provider: string): AsyncGenerator<SpeechBlock> {
  if (!response.body) return;
  let rest: Uint8Array = new Uint8Array(0);
  const body: AsyncIterable<Uint8Array> = response.body;
  try {
    for await (const chunk of body) {
      const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
      const samples = samplesFromBytes(bytes);
      rest = bytes.subarray(samples.length * 2);
      if (samples.length > 0) yield { samples, sampleRate };
    }
  } catch (cause) {
    if (cause instanceof Error && cause.name === 'AbortError') throw cause;
    throw new ProviderFailure(provider, 'broke off while speaking', { retryable: true, cause });
  }
}

const waitingMax = 1000;

/** Events for one reader, in order. If the reader falls behind, the oldest are dropped. */
export class EventQueue<Event> implements AsyncIterable<Event> {
  private readonly waiting: Event[] = [];
  private wake: (() => void) | undefined;
  private ended = false;
  private failure: Error | undefined;

  push(event: Event): void {
    if (this.ended) return;
    this.waiting.push(event);
    if (this.waiting.length > waitingMax) this.waiting.shift();
    this.wake?.();
  }

  /** Ends the queue after the waiting events; later calls have no effect. */
  end(failure: Error | undefined): void {
    if (this.ended) return;
    this.ended = true;
    this.failure = failure;
    this.wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Event> {
    for (;;) {
      const next = this.waiting.shift();
      if (next !== undefined) yield next;
      else if (!this.ended) await new Promise<void>((resolve) => (this.wake = resolve));
      else break;
    }
    if (this.failure) throw this.failure;
  }
}
