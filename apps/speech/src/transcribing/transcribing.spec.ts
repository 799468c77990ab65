import { EventEmitter, once } from 'node:events';
import { Resampler, bytesFromSamples, muLaw } from '@parley/audio';
import { openTranscription, voiceLineMoved } from '@parley/contracts';
import { type Channel, NatsTransport } from '@parley/messaging';
import {
  type HearingEvent,
  type LiveHearing,
  LoudnessVoiceActivity,
  ProviderFailure,
  ScriptedFileStore,
  ScriptedSpeechToText,
  type VoiceActivity,
  type VoiceRequest,
  type VoiceStream,
  type VoiceWindow,
} from '@parley/ports';
import { TestNats } from '@parley/testing';
import type { z } from 'zod';
import { startSpeech } from '../testing/running-speech';
import { ordinaryPatience } from './line-writing';

type Signal = z.output<(typeof openTranscription)['signal']>;
type Harness = Awaited<ReturnType<typeof startSpeech>>;

const caller = { principal: { kind: 'ext', keyId: 'spec', orgId: 1 } } as const;
const rate = 16_000;
const frameMs = 20;

/** Frames of a voice, or of silence. */
function frames(ms: number, loudness: number, sampleRate = rate): Int16Array[] {
  const frame = Int16Array.from({ length: (sampleRate * frameMs) / 1000 }, (_, i) => loudness * Math.sin(i / 3));
  return Array.from({ length: ms / frameMs }, () => frame);
}
const voice = (ms: number): Int16Array[] => frames(ms, 8000);
const silence = (ms: number): Int16Array[] => frames(ms, 0);

/** Sends as fast as frames are accepted: a burst would be dropped, as on a real line. */
async function say(channel: Channel<Signal>, sound: readonly Int16Array[], encoding: 'pcm16' | 'mulaw' = 'pcm16'): Promise<void> {
  for (const [index, frame] of sound.entries()) {
    channel.send(encoding === 'mulaw' ? muLaw.encode(frame) : bytesFromSamples(frame.slice()));
    if (index % 50 === 49) await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Collects all signals of a line from its beginning. */
class Listener {
  readonly heard: Signal[] = [];
  isOver = false;
  private readonly news = new EventEmitter();

  constructor(readonly channel: Channel<Signal>) {
    void this.read();
  }

  all<Type extends Signal['type']>(type: Type): Extract<Signal, { type: Type }>[] {
    return this.heard.filter((signal): signal is Extract<Signal, { type: Type }> => signal.type === type);
  }

  async until(type: Signal['type'], times = 1): Promise<void> {
    while (this.all(type).length < times) {
      if (this.isOver) throw new Error(`the line ended before ${type}: ${JSON.stringify(this.heard)}`);
      await once(this.news, 'news');
    }
  }

  async untilOver(): Promise<void> {
    while (!this.isOver) await once(this.news, 'news');
  }

  private async read(): Promise<void> {
    for await (const item of this.channel.incoming) {
      if ('signal' in item) this.heard.push(item.signal);
      this.news.emit('news');
    }
    this.isOver = true;
    this.news.emit('news');
  }
}

/** Transcribes live: a partial with the first sound, a final for every second. */
class LiveEngine extends ScriptedSpeechToText {
  breaksAfter = Number.POSITIVE_INFINITY;

  constructor() {
    super(['in pieces'], { provider: 'deepgram', live: true });
  }

  async listen(): Promise<LiveHearing> {
    const events: HearingEvent[] = [];
    let samples = 0;
    let isOver = false;
    let wake = (): void => undefined;
    const { breaksAfter } = this;
    async function* told(): AsyncGenerator<HearingEvent> {
      for (;;) {
        const next = events.shift();
        if (next) yield next;
        else if (samples > breaksAfter) throw new ProviderFailure('deepgram', 'lost the line', { retryable: true });
        else if (isOver) return;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    }
    const tell = (event?: HearingEvent): void => {
      if (event) events.push(event);
      wake();
    };
    return {
      push: (sound) => {
        const before = samples;
        samples += sound.length;
        if (before === 0) tell({ kind: 'partial', text: 'hel' });
        if (Math.floor(samples / rate) > Math.floor(before / rate)) tell({ kind: 'final', text: 'hello' });
        tell();
      },
      finish: () => {
        isOver = true;
        tell({ kind: 'final', text: 'bye' });
      },
      events: told(),
      close: () => {
        isOver = true;
        tell();
      },
    };
  }
}

/** Judges each window only once this much more has been pushed. */
class LaggingVoiceActivity extends LoudnessVoiceActivity {
  constructor(private readonly lagMs: number) {
    super();
  }

  override async open({ sampleRate, listener }: VoiceRequest): Promise<VoiceStream> {
    const windows: VoiceWindow[] = [];
    let pushedMs = 0;
    const stream = await super.open({ sampleRate, listener: (window) => void windows.push(window) });
    const push = (samples: Int16Array): void => {
      stream.push(samples);
      pushedMs += (samples.length * 1000) / sampleRate;
      while ((windows[0]?.endMs ?? pushedMs) <= pushedMs - this.lagMs)
        for (const window of windows.splice(0, 1)) listener(window);
    };
    return { push, close: () => stream.close() };
  }
}

async function open(harness: Harness, opening: Partial<z.input<(typeof openTranscription)['opening']>> = {}) {
  const { accepted, channel } = await harness.bus.open(openTranscription, { language: 'english', ...opening }, caller);
  return { accepted, channel, line: new Listener(channel) };
}

describe.each([
  ['in process', async () => ({ connect: undefined, stop: async () => undefined })],
  [
    'over NATS',
    async () => {
      const nats = await TestNats.start();
      return { connect: () => NatsTransport.connect({ servers: nats.url, name: 'spec' }), stop: () => nats.stop() };
    },
  ],
] as const)('a live transcription, %s', (_where, place) => {
  let meeting: Awaited<ReturnType<typeof place>>;
  let harness: Harness;
  beforeAll(async () => {
    meeting = await place();
  });
  afterAll(() => meeting.stop());
  afterEach(() => harness.stop());

  const start = async (engine: ScriptedSpeechToText, patience = {}, voices?: VoiceActivity): Promise<void> => {
    const { connect } = meeting;
    harness = await startSpeech({
      speaking: [],
      hearing: [engine],
      files: new ScriptedFileStore(),
      patience,
      ...(voices && { voices }),
      ...(connect && { connect }),
    });
  };

  it('reports where speech begins and ends, transcribes each utterance, and is charged by the second', async () => {
    const engine = new ScriptedSpeechToText(['good morning', 'and good night']);
    await start(engine);
    const { accepted, channel, line } = await open(harness);
    expect(accepted).toMatchObject({ sampleRate: rate, encoding: 'pcm16' });
    await say(channel, [...silence(500), ...voice(1000), ...silence(1000)]);
    await line.until('transcript.final');
    await say(channel, [...voice(600), ...silence(1000)]);
    await line.until('transcript.final', 2);
    channel.signal({ type: 'ping' });
    await line.until('pong');
    channel.signal({ type: 'session.end' });
    await line.until('session.ended');
    const near = (expected: readonly number[], told: readonly { atMs: number }[]) =>
      told.map(({ atMs }, index) => Math.abs(atMs - (expected[index] ?? 0)) <= 64);
    expect(near([500, 2500], line.all('speech.started'))).toEqual([true, true]);
    expect(near([1500, 3100], line.all('speech.ended'))).toEqual([true, true]);
    expect(line.all('transcript.final').map(({ text }) => text)).toEqual(['good morning', 'and good night']);
    expect(line.all('usage').flatMap(({ usage }) => usage)).toEqual([{ kind: 'STT_API', units: 5 }]);
    expect(line.all('session.ended')).toEqual([{ type: 'session.ended', reason: 'ENDED_BY_USER' }]);
    await expect(channel.closed).resolves.toEqual({ reason: 'ENDED_BY_USER' });
    // An utterance starts a little before the voice, so that its first sound is not cut off.
    expect(engine.heardSeconds[0]).toBeGreaterThan(1.2);
    expect(engine.heardSeconds[0]).toBeLessThan(2.1);
  });

  it('cuts no word in two if sound comes in bursts, of which the detector judges the beginning only when all is there', async () => {
    const engine = new ScriptedSpeechToText();
    engine.transcribe = async ({ audio }) => {
      let loud = 0;
      for await (const block of audio()) loud += block.filter((sample) => Math.abs(sample) > 500).length;
      return { text: `${Math.round((loud * 10) / rate)} tenths` };
    };
    await start(engine, {}, new LaggingVoiceActivity(3000));
    const { channel, line } = await open(harness);
    const lengths = [1000, 600, 1400, 800, 2000, 500];
    await say(channel, [...silence(500), ...lengths.flatMap((ms) => [...voice(ms), ...silence(900)]), ...silence(4000)]);
    await line.until('transcript.final', lengths.length);
    const tenthsOf = ({ text }: { text: string }) => Math.round(Number.parseInt(text, 10) / 0.9);
    const told = line.all('transcript.final').map(tenthsOf);
    expect(told.map((tenths, index) => Math.abs(tenths - (lengths[index] ?? 0) / 100) <= 1)).toEqual(lengths.map(() => true));
    channel.close('done');
  });

  it('transcribes unfinished speech when the line ends, and accepts mu-law at 8000', async () => {
    const engine = new ScriptedSpeechToText(['unfinished']);
    await start(engine);
    const { accepted, channel, line } = await open(harness, { sampleRate: 8000, encoding: 'mulaw' });
    expect(accepted).toMatchObject({ sampleRate: 8000, encoding: 'mulaw' });
    await say(channel, frames(1400, 8000, 8000), 'mulaw');
    channel.signal({ type: 'session.end' });
    await line.until('session.ended');
    expect(line.all('transcript.final')).toMatchObject([{ text: 'unfinished' }]);
    expect(line.all('usage')).toEqual([{ type: 'usage', usage: [{ kind: 'STT_API', units: 2 }] }]);
    expect(engine.heardSeconds[0]).toBeCloseTo(1.4, 1);
  });

  it('says so if the last words are not written in time, and ends', async () => {
    const engine = Object.assign(new ScriptedSpeechToText(), { transcribe: () => new Promise<never>(() => undefined) });
    await start(engine, { lastWordsMs: 300 });
    const { channel, line } = await open(harness);
    await say(channel, voice(1400));
    channel.signal({ type: 'session.end' });
    await line.until('session.ended');
    expect(line.all('warning')).toMatchObject([{ code: 'TRANSCRIPTION_BEHIND' }]);
  });

  it('says how long a voice already is, to an opener that reads it', async () => {
    await start(new ScriptedSpeechToText(['one', 'two']));
    const lines = await Promise.all([open(harness, { takesUndecided: true }), open(harness)]);
    for (const { channel, line } of lines) {
      await say(channel, [...voice(7000), ...silence(1000)]);
      await line.until('transcript.final');
      channel.signal({ type: 'session.end' });
      await line.until('session.ended');
    }
    const told = lines.map(({ line }) => line.all('line.undecided').map(({ seconds }) => seconds));
    expect(told).toEqual([[0, 3, 6, 0], []]);
  });

  it('passes on the partial results of a live engine', async () => {
    const engine = new LiveEngine();
    await start(engine);
    const { channel, line } = await open(harness);
    await say(channel, voice(1200));
    await line.until('transcript.final');
    expect(line.all('transcript.partial')).toMatchObject([{ text: 'hel' }]);
    channel.signal({ type: 'session.end' });
    await line.until('session.ended');
    expect(line.all('transcript.final').map(({ text }) => text)).toEqual(['hello', 'bye']);
    expect(engine.heardSeconds).toEqual([]);
  });

  it('continues utterance by utterance when the live engine fails, and says so', async () => {
    const engine = new LiveEngine();
    engine.breaksAfter = rate / 2;
    await start(engine);
    const { channel, line } = await open(harness);
    await say(channel, voice(800));
    await line.until('error');
    await say(channel, [...voice(400), ...silence(800)]);
    await line.until('transcript.final');
    expect(line.all('error')).toMatchObject([{ statusCode: 503, code: 'SPEECH_PROVIDER_UNAVAILABLE' }]);
    expect(line.all('transcript.final')).toMatchObject([{ text: 'in pieces' }]);
    channel.close();
  });

  it('ends when the engine keeps failing', async () => {
    const engine = new ScriptedSpeechToText();
    for (let i = 0; i < 3; i++) engine.failNext(new ProviderFailure('scripted', 'secret reason', { retryable: false }));
    await start(engine);
    const { channel, line } = await open(harness);
    for (let i = 0; i < 3; i++) await say(channel, [...voice(300), ...silence(800)]);
    await line.until('session.ended');
    expect(line.all('error')).toHaveLength(3);
    expect(JSON.stringify(line.heard)).not.toContain('secret reason');
    expect(line.all('session.ended')).toMatchObject([{ reason: 'FAILED' }]);
  });

  it('is not ended for being quiet: the gateway decides that for every socket', async () => {
    const timers = jest.spyOn(globalThis, 'setTimeout');
    await start(new ScriptedSpeechToText());
    timers.mockClear();
    const { channel, line } = await open(harness);
    channel.signal({ type: 'ping' });
    await line.until('pong');
    const waits = timers.mock.calls.map(([, ms = 0]) => ms);
    timers.mockRestore();
    expect(waits).toContain(ordinaryPatience.lineMsMax);
    expect(waits.filter((ms) => ms >= 60_000 && ms < ordinaryPatience.lineMsMax)).toEqual([]);
  });

  it('ends at its maximum length, and when credits run out', async () => {
    const endOf = async (patience: object, signal?: Signal): Promise<string | undefined> => {
      await start(new ScriptedSpeechToText(), patience);
      const { channel, line } = await open(harness);
      if (signal) channel.signal(signal);
      await line.until('session.ended');
      const [ended] = line.all('session.ended');
      return ended?.reason;
    };
    expect(await endOf({ lineMsMax: 50 })).toBe('MAX_DURATION');
    await harness.stop();
    expect(await endOf({}, { type: 'credits.exhausted' })).toBe('CREDITS_EXHAUSTED');
  });

  it('reports the usage, however little, and closes when the caller has left', async () => {
    await start(new ScriptedSpeechToText());
    const { channel, line } = await open(harness);
    await say(channel, silence(200));
    channel.signal({ type: 'caller.left' });
    await line.untilOver();
    expect(line.all('usage')).toMatchObject([{ usage: [{ kind: 'STT_API', units: 1 }] }]);
    expect(line.all('session.ended')).toEqual([]);
  });

  it('stops the engine and leaves nothing behind when the caller disconnects', async () => {
    const left = new AbortController();
    const engine = new ScriptedSpeechToText();
    const stuck = Object.assign(engine, {
      transcribe: async ({ signal }: { signal?: AbortSignal }) => {
        if (signal) await once(signal, 'abort');
        left.abort();
        throw new Error('left');
      },
    });
    const opened = jest.spyOn(Resampler, 'create');
    await start(stuck);
    const { channel, line } = await open(harness);
    await say(channel, [...voice(400), ...silence(800)]);
    await line.until('speech.ended');
    const resampler = await opened.mock.results.at(-1)?.value;
    const closed = jest.spyOn(resampler, 'close');
    channel.close('gone');
    if (!left.signal.aborted) await once(left.signal, 'abort');
    expect(closed).toHaveBeenCalled();
    opened.mockRestore();
  });

  it('moves to another replica between two sentences when its process stops', async () => {
    await start(new ScriptedSpeechToText(['first sentence']));
    const { channel, line } = await open(harness);
    await say(channel, voice(400));
    await line.until('speech.started');
    const drained = harness.drain();
    await say(channel, silence(800));
    await expect(channel.closed).resolves.toEqual({ reason: voiceLineMoved });
    await line.untilOver();
    expect(line.all('transcript.final')).toMatchObject([{ text: 'first sentence' }]);
    expect(line.all('usage')).toHaveLength(1);
    expect(line.all('session.ended')).toEqual([]);
    await drained;
  });

  it('is refused if no engine supports the language', async () => {
    await start(new ScriptedSpeechToText([], { languages: ['english'] }));
    await expect(open(harness, { language: 'marathi' })).rejects.toMatchObject({ code: 'PROVIDER_NOT_CONFIGURED' });
  });
});
