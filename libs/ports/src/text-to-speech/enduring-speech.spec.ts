import { CircuitBreaker, ProviderFailure } from '../provider-failure';
import { EnduringSpeech, type EnduringSpeechOptions } from './enduring-speech';
import { ScriptedTextToSpeech, type SpeechBlock, type SpeechRequest, type TextToSpeech } from './text-to-speech';

const down = (retryAfterMs?: number): ProviderFailure =>
  new ProviderFailure('first', 'is down', { retryable: true, retryAfterMs });
const wrong = new ProviderFailure('first', 'cannot say that', { retryable: false });
const hello: SpeechRequest = { text: 'hello', language: 'english', voice: 'tone' };
const noRetry: EnduringSpeechOptions = { retry: { attempts: 1 } };

async function say(engine: TextToSpeech, request = hello): Promise<SpeechBlock[]> {
  const blocks: SpeechBlock[] = [];
  for await (const block of engine.speak(request)) blocks.push(block);
  return blocks;
}

function pair(options: EnduringSpeechOptions = noRetry) {
  const first = new ScriptedTextToSpeech({ provider: 'first' });
  const second = new ScriptedTextToSpeech({ provider: 'second' });
  return { first, second, speech: new EnduringSpeech([first, second], options) };
}

/** Accepts a request and yields nothing until it is aborted. */
class HangingSpeech extends ScriptedTextToSpeech {
  stopped = false;

  override async *speak({ signal }: SpeechRequest): AsyncGenerator<SpeechBlock> {
    await new Promise((_, reject) => {
      signal?.addEventListener('abort', () => {
        this.stopped = true;
        reject(signal.reason);
      });
    });
  }
}

/** Starts on demand. */
class LateSpeech extends ScriptedTextToSpeech {
  readonly beginning = Promise.withResolvers<void>();

  override async *speak(request: SpeechRequest): AsyncGenerator<SpeechBlock> {
    await this.beginning.promise;
    yield* super.speak(request);
  }
}

/** Gives a text to its vendor in two requests. */
class SpeechInParts extends ScriptedTextToSpeech {
  override async *speak(request: SpeechRequest): AsyncGenerator<SpeechBlock> {
    await request.beforePiece?.(2);
    yield* super.speak({ ...request, text: request.text.slice(0, 2), beforePiece: undefined });
    await request.beforePiece?.(request.text.length);
    yield* super.speak({ ...request, text: request.text.slice(2), beforePiece: undefined });
  }
}

describe('EnduringSpeech', () => {
  afterEach(() => jest.useRealTimers());

  it.each([
    ['by itself', undefined],
    ['and asks for patience', 250],
  ])('moves to another vendor without waiting when one fails %s', async (_how, retryAfterMs) => {
    // The clock does not move, so any wait would never end.
    jest.useFakeTimers();
    const { first, second, speech } = pair({});
    first.failNext(down(retryAfterMs));
    expect(await say(speech)).toHaveLength(5);
    expect([first.requests.length, second.requests.length]).toEqual([1, 1]);
  });

  it('lets the fallback speak with its own voice', async () => {
    const { first, second, speech } = pair();
    first.failNext(down());
    await say(speech);
    expect(first.requests[0]?.voice).toBe('tone');
    expect(second.requests[0]?.voice).toBeUndefined();
  });

  it('passes a failure on once sound was sent', async () => {
    const { first, second, speech } = pair();
    first.failNext(down(), 2);
    const heard: SpeechBlock[] = [];
    await expect(
      (async () => {
        for await (const block of speech.speak(hello)) heard.push(block);
      })(),
    ).rejects.toThrow('is down');
    expect(heard).toHaveLength(2);
    expect(second.requests).toHaveLength(0);
  });

  it('retries the same engine after a wait if there is no fallback', async () => {
    const { first, second, speech } = pair({ retry: { attempts: 2, backoffMs: 1 }, breaker: { failuresMax: 1 } });
    for (const engine of [first, second]) for (let i = 0; i < 2; i++) engine.failNext(down());
    await expect(say(speech)).rejects.toThrow(ProviderFailure);
    expect([first.requests.length, second.requests.length]).toEqual([1, 2]);
    const alone = new EnduringSpeech([first], { retry: { backoffMs: 1 } });
    expect(await say(alone)).toHaveLength(5);
    expect(first.requests).toHaveLength(3);
  });

  it('skips an engine after three failures and tries it again after its rest', async () => {
    jest.useFakeTimers();
    const { first, second, speech } = pair();
    for (let i = 0; i < 3; i++) first.failNext(down());
    for (let i = 0; i < 5; i++) await say(speech);
    expect(first.requests).toHaveLength(3);
    expect(second.requests).toHaveLength(5);
    jest.advanceTimersByTime(10_000);
    await say(speech);
    expect(first.requests).toHaveLength(4);
    expect(second.requests).toHaveLength(5);
  });

  it('keeps using an engine that was full once', async () => {
    const { first, second, speech } = pair({ breaker: { failuresMax: 1 } });
    first.failNext(new ProviderFailure('first', 'is busy', { retryable: true, isBusy: true }));
    for (let i = 0; i < 2; i++) await say(speech);
    expect([first.requests.length, second.requests.length]).toEqual([2, 1]);
  });

  it('says when to retry while every engine rests', async () => {
    const only = new ScriptedTextToSpeech({ provider: 'first' });
    const speech = new EnduringSpeech([only], { ...noRetry, breaker: { failuresMax: 1 } });
    only.failNext(down(30_000));
    await expect(say(speech)).rejects.toThrow(ProviderFailure);
    const failure: unknown = await say(speech).catch((reason: unknown) => reason);
    expect(failure).toMatchObject({ retryable: true, kind: 'BUSY', message: expect.stringContaining('is not asked') });
    expect(failure instanceof ProviderFailure ? failure.retryAfterMs : 0).toBeGreaterThan(29_000);
    expect(only.requests).toHaveLength(1);
  });

  it('does not blame an engine for an invalid request', async () => {
    const only = new ScriptedTextToSpeech({ provider: 'first' });
    const speech = new EnduringSpeech([only], { ...noRetry, breaker: { failuresMax: 1 } });
    only.failNext(wrong);
    await expect(say(speech)).rejects.toBe(wrong);
    expect(await say(speech)).toHaveLength(5);
  });

  it('gives up on an engine that never starts, stops it and tries the next', async () => {
    jest.useFakeTimers();
    const hanging = new HangingSpeech({ provider: 'first' });
    const second = new ScriptedTextToSpeech({ provider: 'second' });
    const speech = new EnduringSpeech([hanging, second], { ...noRetry, firstSoundMs: 2000 });
    const said = say(speech);
    await jest.advanceTimersByTimeAsync(2000);
    expect(await said).toHaveLength(5);
    expect(hanging.stopped).toBe(true);
  });

  it('waits as long as a listener wants for the next piece, and blames no engine', async () => {
    jest.useFakeTimers();
    const heard = Promise.withResolvers<void>();
    const speech = new EnduringSpeech([new SpeechInParts()], noRetry);
    const speaking = say(speech, { ...hello, beforePiece: (characters) => (characters > 2 ? heard.promise : Promise.resolve()) });
    await jest.advanceTimersByTimeAsync(500_000);
    heard.resolve();
    expect(await speaking).toHaveLength(5);
  });

  it('gives up on an engine that hangs after its listener wanted more', async () => {
    jest.useFakeTimers();
    const never = new Promise<never>(() => undefined);
    class Hanging extends SpeechInParts {
      override async *speak(request: SpeechRequest): AsyncGenerator<SpeechBlock> {
        yield* super.speak({ ...request, text: request.text.slice(0, 2) });
        await request.beforePiece?.(request.text.length);
        await never;
      }
    }
    const speaking = say(new EnduringSpeech([new Hanging()], noRetry), { ...hello, beforePiece: async () => undefined });
    const failure = expect(speaking).rejects.toThrow('nothing came within');
    await jest.advanceTimersByTimeAsync(11_000);
    await failure;
  });

  it('asks the next engine beside a slow one, and stops the slower', async () => {
    jest.useFakeTimers();
    const hanging = new HangingSpeech({ provider: 'first' });
    const second = new ScriptedTextToSpeech({ provider: 'second' });
    const third = new ScriptedTextToSpeech({ provider: 'third' });
    const speech = new EnduringSpeech([hanging, second, third], { ...noRetry, hedgeMs: 400 });
    const said = say(speech);
    await jest.advanceTimersByTimeAsync(399);
    expect(second.requests).toHaveLength(0);
    await jest.advanceTimersByTimeAsync(1);
    expect(await said).toHaveLength(5);
    expect(hanging.stopped).toBe(true);
    expect(third.requests).toHaveLength(0);
  });

  it('asks a second engine only if told to, and never a third', async () => {
    jest.useFakeTimers();
    const [first, second] = [new HangingSpeech({ provider: 'first' }), new HangingSpeech({ provider: 'second' })];
    const third = new ScriptedTextToSpeech({ provider: 'third' });
    const patient = say(new EnduringSpeech([first, third], { ...noRetry, firstSoundMs: 5000 }));
    await jest.advanceTimersByTimeAsync(4999);
    expect(third.requests).toHaveLength(0);
    await jest.advanceTimersByTimeAsync(1);
    expect(await patient).toHaveLength(5);
    const hedging = say(new EnduringSpeech([first, second, third], { ...noRetry, hedgeMs: 400, firstSoundMs: 5000 }));
    await jest.advanceTimersByTimeAsync(5399);
    expect(third.requests).toHaveLength(1);
    await jest.advanceTimersByTimeAsync(1);
    expect(await hedging).toHaveLength(5);
  });

  it('continues with the slow one when the second fails', async () => {
    jest.useFakeTimers();
    const slow = new LateSpeech({ provider: 'first' });
    const second = new ScriptedTextToSpeech({ provider: 'second' });
    second.failNext(down());
    const said = say(new EnduringSpeech([slow, second], { ...noRetry, hedgeMs: 400 }));
    await jest.advanceTimersByTimeAsync(1000);
    slow.beginning.resolve();
    expect(await said).toHaveLength(5);
    expect(slow.requests).toHaveLength(1);
  });

  it('shares a provider’s failures with chains that share its breaker', async () => {
    const breaker = new CircuitBreaker({ failuresMax: 1 });
    const { first, second } = pair();
    const options = { ...noRetry, breakerOf: (provider: string) => (provider === 'first' ? breaker : new CircuitBreaker()) };
    first.failNext(down());
    await say(new EnduringSpeech([first, second], options));
    await say(new EnduringSpeech([first, second], options));
    expect([first.requests.length, second.requests.length]).toEqual([1, 2]);
  });

  it('skips engines that do not speak the language', async () => {
    const english = new ScriptedTextToSpeech({ provider: 'first', languages: ['english'] });
    const marathi = new ScriptedTextToSpeech({ provider: 'second', languages: ['marathi'] });
    const speech = new EnduringSpeech([english, marathi], noRetry);
    expect(await say(speech, { text: 'हो', language: 'marathi' })).toHaveLength(2);
    expect(english.requests).toHaveLength(0);
  });

  it('asks no other engine once the caller has left', async () => {
    const { first, second, speech } = pair();
    const signal = AbortSignal.abort();
    await expect(say(speech, { ...hello, signal })).rejects.toThrow(/abort/i);
    expect(first.requests.length + second.requests.length).toBeLessThanOrEqual(1);
  });
});
