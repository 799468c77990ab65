import { ProviderFailure } from '../provider-failure';
import { EnduringTranscription } from './enduring-transcription';
import {
  type HearingEvent,
  type HearingRequest,
  type LiveHearing,
  piecesOf,
  ScriptedSpeechToText,
  transcribeInPieces,
  type TranscriptionRequest,
} from './speech-to-text';

const sampleRate = 16_000;

async function* sound(seconds: number): AsyncGenerator<Int16Array> {
  for (let i = 0; i < seconds * 10; i++) yield new Int16Array(1600).fill(5000);
}

async function* noEvents(): AsyncGenerator<HearingEvent> {}

const twoSeconds: TranscriptionRequest = { audio: () => sound(2), sampleRate, language: 'english' };

describe('EnduringTranscription', () => {
  it('gives the next engine the sound from its start', async () => {
    const first = new ScriptedSpeechToText([], { provider: 'first' });
    const second = new ScriptedSpeechToText(['good morning'], { provider: 'second' });
    first.failNext(new ProviderFailure('first', 'is down', { retryable: true }));
    const hearing = new EnduringTranscription([first, second]);
    expect((await hearing.transcribe(twoSeconds)).text).toBe('good morning');
    expect([first.heardSeconds, second.heardSeconds]).toEqual([[], [2]]);
  });

  it('skips an engine that cannot work here', async () => {
    const absent = new ScriptedSpeechToText([], { provider: 'first', unavailable: 'is not installed' });
    const present = new ScriptedSpeechToText(['good morning'], { provider: 'second' });
    const hearing = new EnduringTranscription([absent, present]);
    expect((await hearing.transcribe(twoSeconds)).text).toBe('good morning');
    expect(absent.heardSeconds).toEqual([]);
  });

  it('asks the next engine while a caller waits and the first hangs, and gives up the last one without asking it again', async () => {
    jest.useFakeTimers();
    const hanging = (provider: string) =>
      Object.assign(new ScriptedSpeechToText([], { provider }), {
        transcribe: jest.fn(() => new Promise<never>(() => undefined)),
      });
    const request = { ...twoSeconds, patienceMs: 4000 };
    const next = new ScriptedSpeechToText(['good morning'], { provider: 'second' });
    const heard = new EnduringTranscription([hanging('first'), next]).transcribe(request);
    await jest.advanceTimersByTimeAsync(3900);
    expect(next.heardSeconds).toEqual([]);
    await jest.advanceTimersByTimeAsync(100);
    expect((await heard).text).toBe('good morning');
    const only = hanging('only');
    const failed = new EnduringTranscription([only]).transcribe(request).catch((failure: unknown) => failure);
    await jest.advanceTimersByTimeAsync(8000);
    expect(await failed).toMatchObject({ provider: 'only', isLate: true });
    expect(only.transcribe).toHaveBeenCalledTimes(1);
    jest.useRealTimers();
  });

  it('opens no line if no engine transcribes live', async () => {
    const hearing = new EnduringTranscription([new ScriptedSpeechToText()]);
    await expect(hearing.listen({ sampleRate })).rejects.toMatchObject({ retryable: false });
  });

  it('opens a second line beside a slow one, and drops the slower', async () => {
    jest.useFakeTimers();
    const dropped = jest.fn();
    const slow = Object.assign(new ScriptedSpeechToText([], { provider: 'first', live: true }), {
      listen: ({ signal }: HearingRequest) => new Promise<LiveHearing>(() => signal?.addEventListener('abort', dropped)),
    });
    const line: LiveHearing = { push: jest.fn(), finish: jest.fn(), close: jest.fn(), events: noEvents() };
    const quick = Object.assign(new ScriptedSpeechToText([], { provider: 'second', live: true }), { listen: async () => line });
    const opened = new EnduringTranscription([slow, quick], { hedgeMs: 300 }).listen({ sampleRate, language: 'english' });
    await jest.advanceTimersByTimeAsync(300);
    expect(await opened).toBe(line);
    expect(dropped).toHaveBeenCalledTimes(1);
    jest.useRealTimers();
  });
});

describe('transcribeInPieces', () => {
  const transcribed = async (engine: ScriptedSpeechToText, seconds: number) => {
    const steps = transcribeInPieces(engine, { ...twoSeconds, audio: () => sound(seconds) });
    const until: number[] = [];
    for (;;) {
      const step = await steps.next();
      if (step.done) return { ...step.value, until };
      until.push(step.value.untilMs / 1000);
    }
  };

  it('neither loses nor doubles sound, and joins the results', async () => {
    const engine = new ScriptedSpeechToText(['one', 'two', 'three', 'four'], { secondsMax: 10 });
    const { text, until } = await transcribed(engine, 25);
    expect(text.startsWith('one two three')).toBe(true);
    expect(engine.heardSeconds.reduce((sum, seconds) => sum + seconds, 0)).toBeCloseTo(25, 3);
    expect(Math.max(...engine.heardSeconds)).toBeLessThanOrEqual(10);
    let soFar = 0;
    expect(until).toEqual(engine.heardSeconds.map((seconds) => expect.closeTo((soFar += seconds), 3)));
  });

  it('returns an empty text for no sound', async () => {
    const engine = new ScriptedSpeechToText();
    expect(await transcribed(engine, 0)).toMatchObject({ text: '', until: [] });
  });

  it('cuts in pauses rather than in words', async () => {
    async function* speechWithPause(): AsyncGenerator<Int16Array> {
      const seconds = new Int16Array(sampleRate * 12).fill(5000);
      yield seconds.fill(0, sampleRate * 8, sampleRate * 8.5);
    }
    for await (const { samples } of piecesOf(speechWithPause(), sampleRate, 10)) {
      expect(samples.length / sampleRate).toBeGreaterThan(8);
      expect(samples.length / sampleRate).toBeLessThan(8.5);
      break;
    }
  });
});
