import { silence, withSilences } from '../event-streams';

describe('the keep-alive of a stream', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('sends something at every interval without an item, and loses no item', async () => {
    const item = Promise.withResolvers<string>();
    const stream = withSilences(
      (async function* () {
        yield 'first';
        yield await item.promise;
      })(),
      15_000,
    );
    expect((await stream.next()).value).toBe('first');
    for (let interval = 0; interval < 2; interval++) {
      const next = stream.next();
      await jest.advanceTimersByTimeAsync(15_000);
      expect((await next).value).toBe(silence);
    }
    item.resolve('second');
    expect((await stream.next()).value).toBe('second');
    expect((await stream.next()).done).toBe(true);
    expect(jest.getTimerCount()).toBe(0);
  });
});
