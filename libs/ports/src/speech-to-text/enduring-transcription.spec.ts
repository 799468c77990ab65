import { ProviderFailure } from '../provider-failure';
import { EnduringTranscription, forOneCall } from './enduring-transcription';
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

  describe('with an engine that accepts requests and never answers', () => {
    beforeEach(() => jest.useFakeTimers());
    afterEach(() => jest.useRealTimers());

    it('gives the sound to the next after the time of the request, and asks it no more after three', async () => {
      const hang = jest.fn(() => new Promise<never>(() => undefined));
      const hanging = Object.assign(new ScriptedSpeechToText([], { provider: 'first' }), { transcribe: hang });
      const second = new ScriptedSpeechToText(['one', 'two', 'three', 'four'], { provider: 'second' });
      const hearing = new EnduringTranscription([hanging, second]);
      const onFailure = jest.fn();
      for (const text of ['one', 'two', 'three']) {
        const heard = hearing.transcribe({ ...twoSeconds, answerMs: 6000, onFailure });
        await jest.advanceTimersByTimeAsync(6000);
        expect((await heard).text).toBe(text);
      }
      expect(onFailure.mock.calls.map(([{ kind }]) => kind)).toEqual(['TIMEOUT', 'TIMEOUT', 'TIMEOUT']);
      expect((await hearing.transcribe({ ...twoSeconds, answerMs: 6000 })).text).toBe('four');
      expect(hang).toHaveBeenCalledTimes(3);
      expect(second.heardSeconds).toEqual([2, 2, 2, 2]);
    });

    it('keeps a call waiting in vain once: from then on the next is asked too after 1.5 s, and whoever answers first counts', async () => {
      let answers = (): Promise<{ text: string }> => new Promise(() => undefined);
      const first = Object.assign(new ScriptedSpeechToText([], { provider: 'first' }), { transcribe: () => answers() });
      const second = new ScriptedSpeechToText(['one', 'two'], { provider: 'second' });
      const onFailure = jest.fn();
      const engines = new EnduringTranscription([first, second]);
      const call = forOneCall(engines, onFailure);
      const said = async (waitMs: number, among = call): Promise<string | undefined> => {
        let text: string | undefined;
        among.transcribe({ ...twoSeconds, answerMs: 6000 }).then(
          (heard) => (text = heard.text),
          () => undefined,
        );
        await jest.advanceTimersByTimeAsync(waitMs);
        return text;
      };
      expect(await said(5999)).toBeUndefined();
      await jest.advanceTimersByTimeAsync(1);
      expect(onFailure).toHaveBeenCalledTimes(1);
      expect(await said(1499)).toBeUndefined();
      await jest.advanceTimersByTimeAsync(1);
      expect(second.heardSeconds).toEqual([2, 2]);
      answers = () => Promise.resolve({ text: 'by the first' });
      expect(await said(0)).toBe('by the first');
      answers = () => new Promise(() => undefined);
      // Another call has not been kept waiting.
      expect(await said(5999, forOneCall(engines, undefined))).toBeUndefined();
    });

    it('fails after that time where there is no other, without asking it again', async () => {
      const hang = jest.fn(() => new Promise<never>(() => undefined));
      const hearing = new EnduringTranscription([Object.assign(new ScriptedSpeechToText(), { transcribe: hang })]);
      const outcome = hearing.transcribe({ ...twoSeconds, answerMs: 6000 }).catch((failure: unknown) => failure);
      await jest.advanceTimersByTimeAsync(6000);
      expect(await outcome).toBeInstanceOf(ProviderFailure);
      expect(hang).toHaveBeenCalledTimes(1);
    });

    it('gives up a live line that says nothing once its sound is complete, and opens no other there for a while', async () => {
      const silent = async function* (): AsyncGenerator<HearingEvent> {
        await new Promise<never>(() => undefined);
      };
      const lineOf = (events: AsyncIterable<HearingEvent>): LiveHearing => ({
        ...{ push: jest.fn(), finish: jest.fn(), close: jest.fn(), events },
      });
      const first = Object.assign(new ScriptedSpeechToText([], { provider: 'first', live: true }), {
        listen: async () => lineOf(silent()),
      });
      const other = lineOf(noEvents());
      const second = Object.assign(new ScriptedSpeechToText([], { provider: 'second', live: true }), {
        listen: async () => other,
      });
      const hearing = new EnduringTranscription([first, second]);
      const line = await hearing.listen({ sampleRate, language: 'english', answerMs: 5000 });
      const read = async (): Promise<unknown> => {
        for await (const event of line.events) return event;
        return undefined;
      };
      const outcome = read().catch((failure: unknown) => failure);
      await jest.advanceTimersByTimeAsync(60_000);
      line.finish();
      await jest.advanceTimersByTimeAsync(5000);
      expect(await outcome).toMatchObject({ kind: 'TIMEOUT' });
      const next = await hearing.listen({ sampleRate, language: 'english', answerMs: 5000 });
      next.push(new Int16Array(1));
      expect(other.push).toHaveBeenCalled();
    });
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
    const request = { ...twoSeconds, answerMs: 4000 };
    const next = new ScriptedSpeechToText(['good morning'], { provider: 'second' });
    const heard = new EnduringTranscription([hanging('first'), next]).transcribe(request);
    await jest.advanceTimersByTimeAsync(3900);
    expect(next.heardSeconds).toEqual([]);
    await jest.advanceTimersByTimeAsync(100);
    expect((await heard).text).toBe('good morning');
    const only = hanging('only');
    const failed = new EnduringTranscription([only]).transcribe(request).catch((failure: unknown) => failure);
    await jest.advanceTimersByTimeAsync(4000);
    expect(await failed).toMatchObject({ provider: 'only', cause: { kind: 'TIMEOUT' } });
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
