const longMs = 1_800_000;

/** Lets a test control long timers, by default of half an hour and more, until disposed of. Other timers run normally. */
export class LongWaits implements Disposable {
  private readonly ringing = new Map<Parameters<typeof clearTimeout>[0], () => void>();
  private readonly spies: readonly { mockRestore(): void }[];

  constructor(fromMs = longMs, toMs = Infinity) {
    const { setTimeout: start, clearTimeout: clear } = globalThis;
    const { ringing } = this;
    const started = jest.spyOn(globalThis, 'setTimeout').mockImplementation((...call) => {
      const timer = start(...call);
      const [ring, ms = 0] = call;
      if (ms >= fromMs && ms <= toMs) ringing.set(timer, () => ring());
      return timer;
    });
    const cleared = jest.spyOn(globalThis, 'clearTimeout').mockImplementation((timer) => {
      ringing.delete(timer);
      clear(timer);
    });
    this.spies = [started, cleared];
  }

  /** How many long timers are pending. */
  get held(): number {
    return this.ringing.size;
  }

  /** Fires them now. */
  end(): void {
    for (const [timer, ring] of [...this.ringing]) {
      globalThis.clearTimeout(timer);
      ring();
    }
  }

  letGo(): void {
    for (const spy of this.spies) spy.mockRestore();
  }

  [Symbol.dispose](): void {
    this.letGo();
  }
}
