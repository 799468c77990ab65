import { type LineSignal, type OpenLine, SpeechLine } from './speech-line';

const usage: LineSignal = { type: 'usage', usage: [{ kind: 'STT_API', units: 12 }] };

describe('a line to the speech service that its caller has left', () => {
  beforeEach(() => jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] }));
  afterEach(() => jest.useRealTimers());

  it('hears what was used however long the last words are written down and kept', async () => {
    const over = Promise.withResolvers<void>();
    let tell = (_signal: LineSignal): void => undefined;
    const heard: string[] = [];
    const openLine: OpenLine = async () => ({
      accepted: { sessionUUID: '6f1c2f6e-0d1e-4b57-9a43-0a6f9f2b1c3d', sampleRate: 16_000, encoding: 'pcm16' },
      channel: {
        send: () => undefined,
        signal: () => undefined,
        incoming: nothing(),
        read: (reader) => {
          tell = (signal) => reader.signal(signal);
          return over.promise;
        },
        dropped: 0,
        closed: new Promise(() => undefined),
        close: () => over.resolve(),
      },
    });
    const line = new SpeechLine(
      {
        signal: ({ type }) => void heard.push(type),
        sound: () => undefined,
        moved: () => undefined,
        over: () => void heard.push('over'),
      },
      () => 32_000,
    );
    await line.open(openLine);
    const left = line.leave({ type: 'caller.left' }, 'gone');
    // Eight seconds for the words, and eight for whoever keeps them.
    await jest.advanceTimersByTimeAsync(16_000);
    tell(usage);
    over.resolve();
    await left;
    expect(heard).toEqual(['usage', 'over']);
  });
});

async function* nothing(): AsyncGenerator<never> {}
