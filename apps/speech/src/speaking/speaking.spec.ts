import { contentOf, openAudio } from '@parley/audio';
import { type AudioItem, previewVoice, synthesizeSpeech } from '@parley/contracts';
import type { TransportBus } from '@parley/messaging';
import {
  ProviderFailure,
  ScriptedFileStore,
  ScriptedTextToSpeech,
  type SpeechBlock,
  type SpeechRequest,
  type TextToSpeech,
} from '@parley/ports';
import { atRest } from '@parley/testing';
import { voiceProviders } from '@parley/providers/speech-catalogue';
import type { z } from 'zod';
import { SpeechEngines } from '../engines/speech-engines';
import { startSpeech } from '../testing/running-speech';
import { atRate } from './speaking.service';

type Wish = z.input<typeof synthesizeSpeech.request>;

const caller = { principal: { kind: 'ext', keyId: 'spec', orgId: 1 } } as const;
const hello: Wish = { text: 'hello', language: 'english' };

describe('speaking', () => {
  let primary: ScriptedTextToSpeech;
  let second: ScriptedTextToSpeech;
  let bus: TransportBus;
  let stop: () => Promise<void>;

  beforeEach(async () => {
    primary = new ScriptedTextToSpeech({ provider: 'first', languages: ['english', 'hindi'] });
    second = new ScriptedTextToSpeech({ provider: 'second', languages: ['english'] });
    ({ bus, stop } = await startSpeech({ speaking: [primary, second], hearing: [], files: new ScriptedFileStore() }));
  });
  afterEach(() => stop());

  async function synthesize(wish: Wish): Promise<{ format: Extract<AudioItem, { type: 'format' }>; bytes: Buffer }> {
    const [format, ...parts] = await gather(bus.stream(synthesizeSpeech, wish, caller));
    if (format?.type !== 'format') throw new TypeError('the first item says the format');
    return {
      format,
      bytes: Buffer.concat(parts.map((part) => (part.type === 'audio' ? Buffer.from(part.base64, 'base64') : Buffer.alloc(0)))),
    };
  }

  it('answers a short text with a WAV that states its size', async () => {
    const { format, bytes } = await synthesize(hello);
    expect(format).toEqual({
      type: 'format',
      contentType: 'audio/wav',
      sampleRate: 16_000,
      characters: 5,
      totalBytes: bytes.length,
    });
    expect(bytes.readUInt32LE(4)).toBe(bytes.length - 8);
    expect(await secondsOf(bytes)).toBeCloseTo(0.25, 2);
  });

  it('streams a longer text under a header without a size', async () => {
    const { format, bytes } = await synthesize({ ...hello, text: 'One sentence. Another one.' });
    expect(format.totalBytes).toBeNull();
    expect(await secondsOf(bytes)).toBeCloseTo(26 * 0.05, 2);
    // As ffmpeg writes a stream: any other number is taken for a size, such as the 18 hours that Python's `wave` reported.
    expect([bytes.readUInt32LE(4), bytes.readUInt32LE(40)]).toEqual([0xffff_ffff, 0xffff_ffff]);
  });

  it('answers a longer text that is asked for as a whole with a WAV that states its size', async () => {
    const { format, bytes } = await synthesize({ ...hello, text: 'One sentence. Another one.', responseMode: 'sync' });
    expect(format.totalBytes).toBe(bytes.length);
    expect([bytes.readUInt32LE(4), bytes.readUInt32LE(40)]).toEqual([bytes.length - 8, bytes.length - 44]);
    expect(await secondsOf(bytes)).toBeCloseTo(26 * 0.05, 2);
  });

  it('gives an engine no text before its reader asks for more, and says how much it has given', async () => {
    const items = bus.stream(synthesizeSpeech, { ...hello, isFollowed: true }, caller)[Symbol.asyncIterator]();
    expect(await items.next()).toMatchObject({ value: { type: 'next' } });
    expect(await atRest('what is spoken', () => primary.spoken)).toBe(0);
    expect(await items.next()).toMatchObject({ value: { type: 'given', characters: 5 } });
    expect(await items.next()).toMatchObject({ value: { type: 'format', characters: 5 } });
    expect((await items.next()).value).toMatchObject({ type: 'audio' });
    expect(await items.next()).toMatchObject({ done: true });
  });

  it('asks once for a text that a second engine takes over', async () => {
    primary.failNext(new ProviderFailure('first', 'is down', { retryable: false }));
    const types = (await gather(bus.stream(synthesizeSpeech, { ...hello, isFollowed: true }, caller))).map(({ type }) => type);
    expect([types, second.requests.length]).toEqual([['next', 'given', 'format', 'audio'], 1]);
  });

  it('counts code points, as credits do', async () => {
    expect((await synthesize({ ...hello, text: 'hi👋' })).format.characters).toBe(3);
  });

  it.each([8000, 11_025, 22_050, 24_000, 37_111, 44_100, 48_000])(
    'speaks at %i samples a second on request',
    async (sampleRate) => {
      const { format, bytes } = await synthesize({ ...hello, sampleRate });
      expect(format.sampleRate).toBe(sampleRate);
      expect(bytes.readUInt32LE(24)).toBe(sampleRate);
      expect(await secondsOf(bytes)).toBeCloseTo(0.25, 1);
    },
  );

  it.each([
    ['pcm', 'audio/pcm;rate=16000', 8000],
    ['mulaw', 'audio/basic;rate=8000', 2000],
  ] as const)('sends %s without a header', async (kind, contentType, bytesExpected) => {
    const { format, bytes } = await synthesize({ ...hello, format: kind });
    expect(format.contentType).toBe(contentType);
    expect(Math.abs(bytes.length - bytesExpected)).toBeLessThan(200);
  });

  it('sends MP3 if the encoder is installed', async () => {
    const { format, bytes } = await synthesize({ ...hello, text: 'hello '.repeat(10), format: 'mp3' });
    expect(format.contentType).toBe('audio/mpeg');
    expect(contentOf(bytes)).toBe('mp3');
  });

  it('names the rates of MP3 when asked for another', async () => {
    const refused = synthesize({ ...hello, format: 'mp3', sampleRate: 9000 });
    await expect(refused).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      message: expect.stringMatching(/only at 8000, 11025, .* 48000/),
    });
  });

  it('loses no sound where the rate changes because another voice goes on', async () => {
    async function* voices(): AsyncGenerator<SpeechBlock> {
      for (const sampleRate of [22_050, 16_000, 22_050, 24_000, 22_050])
        yield { sampleRate, samples: new Int16Array(sampleRate / 10) };
    }
    const blocks = await gather(atRate(voices(), 16_000));
    const samples = blocks.reduce((sum, block) => sum + block.samples.length, 0);
    expect(Math.abs(samples - 8000)).toBeLessThan(10);
  });

  it('follows the pace', async () => {
    const [slow, quick] = await Promise.all(
      [0.7, 1.2].map(async (pace) => secondsOf((await synthesize({ ...hello, pace })).bytes)),
    );
    expect(slow).toBeGreaterThan((quick ?? 0) * 1.5);
  });

  it('falls back to another vendor when the first is down', async () => {
    primary.failNext(new ProviderFailure('first', 'is down', { retryable: false }));
    expect(await secondsOf((await synthesize(hello)).bytes)).toBeCloseTo(0.25, 2);
    expect(second.requests).toHaveLength(1);
  });

  it('answers 503 with Retry-After when every vendor is down', async () => {
    for (const engine of [primary, second]) {
      for (let i = 0; i < 2; i++) engine.failNext(new ProviderFailure('any', 'is down', { retryable: true, retryAfterMs: 500 }));
    }
    await expect(synthesize(hello)).rejects.toMatchObject({ code: 'SPEECH_PROVIDER_UNAVAILABLE', retryAfterSeconds: 1 });
  });

  it('names who could speak a language that no engine here speaks', async () => {
    await expect(synthesize({ ...hello, language: 'marathi' })).rejects.toMatchObject({
      code: 'PROVIDER_NOT_CONFIGURED',
      message: expect.stringMatching(
        /marathi.*set .*SARVAM_API_KEY or AZURE_SPEECH_KEY with AZURE_SPEECH_REGION, or bring a key of your own/,
      ),
    });
  });

  it('refuses 5,001 characters, an unknown voice and a pace out of bounds', async () => {
    await expect(synthesize({ ...hello, text: 'x'.repeat(5001) })).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
    await expect(synthesize({ ...hello, voiceID: 999 })).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
    await expect(synthesize({ ...hello, pace: 1.3 })).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
    expect((await synthesize({ ...hello, text: '👋'.repeat(5000) })).format.characters).toBe(5000);
  });

  it('uses the preferred voices in order, skipping those that are not available here', async () => {
    const [flite, espeak] = ['flite', 'espeak'].map((provider) => new VoicedSpeech({ provider, languages: ['english'] }));
    if (!flite || !espeak) throw new TypeError('two engines');
    const harness = await startSpeech({ speaking: [flite, espeak], hearing: [], files: new ScriptedFileStore() });
    const wish: Wish = { ...hello, preferredVoiceIDs: [41, 11, 15, 3] };
    await gather(harness.bus.stream(synthesizeSpeech, wish, caller));
    espeak.failNext(new ProviderFailure('espeak', 'is down', { retryable: false }));
    await gather(harness.bus.stream(synthesizeSpeech, { ...wish, text: 'again' }, caller));
    await harness.stop();
    expect(espeak.voicesAsked).toEqual(['en', 'en']);
    expect(flite.voicesAsked).toEqual(['slt']);
  });

  it('speaks calls by an engine that this machine is fast enough for, and files by the better one', () => {
    const better = new VoicedSpeech({ provider: 'flite', languages: ['english', 'hindi'], slowIn: ['hindi'] });
    const engines = new SpeechEngines([better, new VoicedSpeech({ provider: 'espeak', languages: ['english', 'hindi'] })], []);
    const provider = ({ engine }: { engine: TextToSpeech }) => engine.capabilities.provider;
    expect(provider(engines.speakerOf('hindi'))).toBe('flite');
    expect(provider(engines.callSpeakerOf('hindi', []))).toBe('espeak');
    expect(provider(engines.callSpeakerOf('english', []))).toBe('flite');
  });

  it('speaks a call in the voice that its agent was given, however slow', () => {
    const slow = new VoicedSpeech({ provider: 'flite', languages: ['english'], slowIn: ['english'] });
    const engines = new SpeechEngines([slow, new VoicedSpeech({ provider: 'espeak', languages: ['english'] })], []);
    const preferred = voiceProviders.find(({ name }) => name === 'flite')?.voices[0]?.id ?? 0;
    expect(engines.callSpeakerOf('english', [preferred]).engine.capabilities.provider).toBe('flite');
  });

  it('has only the voices whose models are on this machine, and no language without one', async () => {
    const whyNoModel = (voice: string) => (voice === 'af_bella' ? undefined : `lacks ${voice}: add it`);
    const local = new VoicedSpeech({ provider: 'sherpa-onnx', languages: ['english', 'hindi'], whyNoModel });
    const engines = new SpeechEngines([local], []);
    const refusal = { code: 'PROVIDER_NOT_CONFIGURED', message: expect.stringContaining('lacks') };
    const refused = (work: () => unknown) => expect(Promise.resolve().then(work)).rejects.toMatchObject(refusal);
    await refused(() => engines.speakerOf('english', 71));
    await refused(() => engines.previewerOf({ provider: 'sherpa-onnx', voice: 'af_heart' }));
    await refused(() => engines.speakerOf('hindi'));
    expect(engines.callSpeakerOf('english', [71]).voice).toBeUndefined();
    expect(engines.callSpeakerOf('english', [71, 74]).voice).toBe('af_bella');
  });

  it('has no preview of a voice under another provider', async () => {
    const preview = gather(bus.stream(previewVoice, { voiceID: '3', voiceProviderID: '2' }, caller));
    await expect(preview).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('previews a voice at the requested speed, the second time from the cache', async () => {
    const tone = new ScriptedTextToSpeech({ provider: 'flite', languages: ['english'] });
    const requests: SpeechRequest[] = [];
    const speak = (request: SpeechRequest): AsyncIterable<SpeechBlock> => {
      requests.push(request);
      return tone.speak({ ...request, voice: 'tone' });
    };
    const flite: TextToSpeech = {
      capabilities: tone.capabilities,
      voices: () => tone.voices(),
      speak,
      close: () => tone.close(),
    };
    const harness = await startSpeech({ speaking: [flite], hearing: [], files: new ScriptedFileStore() });
    const preview = { voiceID: '3', voiceProviderID: '1', speed: '1.1' };
    const [first, second] = [
      await gather(harness.bus.stream(previewVoice, preview, caller)),
      await gather(harness.bus.stream(previewVoice, preview, caller)),
    ];
    await harness.stop();
    expect(second).toEqual(first);
    expect(requests).toMatchObject([{ voice: 'slt', pace: 1.1 }]);
  });

  it('names the setting a voice needs, and uses no other voice instead', async () => {
    const elevenLabs = gather(bus.stream(previewVoice, { voiceID: '41', voiceProviderID: '5' }, caller));
    await expect(elevenLabs).rejects.toMatchObject({
      code: 'PROVIDER_NOT_CONFIGURED',
      message: expect.stringContaining('ELEVENLABS_API_KEY'),
    });
    await expect(synthesize({ ...hello, voiceID: 41 })).rejects.toMatchObject({ code: 'PROVIDER_NOT_CONFIGURED' });
    expect(primary.requests).toEqual([]);
  });

  it('stops the engine when the listener disconnects', async () => {
    for await (const item of bus.stream(synthesizeSpeech, { ...hello, text: 'word. '.repeat(500) }, caller)) {
      if (item.type === 'audio') break;
    }
    const [request] = primary.requests;
    await new Promise((resolve) =>
      request?.signal?.aborted ? resolve(undefined) : request?.signal?.addEventListener('abort', resolve),
    );
    expect(request?.signal?.aborted).toBe(true);
  });
});

/** Speaks with any voice and records which one. */
class VoicedSpeech extends ScriptedTextToSpeech {
  readonly voicesAsked: (string | undefined)[] = [];

  override speak(request: SpeechRequest): AsyncGenerator<SpeechBlock> {
    this.voicesAsked.push(request.voice);
    return super.speak({ ...request, voice: 'tone' });
  }
}

async function gather<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

async function secondsOf(wav: Uint8Array): Promise<number> {
  async function* source(): AsyncGenerator<Uint8Array> {
    yield wav;
  }
  const { blocks } = await openAudio(source(), { toRate: 16_000 });
  return (await gather(blocks)).reduce((samples, block) => samples + block.length, 0) / 16_000;
}
