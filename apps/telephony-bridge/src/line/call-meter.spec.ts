import { InProcessBroker, type ServiceBus, TransportBus } from '@parley/messaging';
import type { Logger } from '@parley/service-kit';
import { CallMeter } from './call-meter';

const ignore = (): void => undefined;
const log: Logger = { debug: ignore, info: ignore, warn: ignore, error: ignore, with: () => log };

describe('the meter of a call', () => {
  const metering = (bus: ServiceBus = new TransportBus(new InProcessBroker().connect())) => {
    const call = { orgId: 1, keyId: 'call', agentId: 10, agentKey: 'agent' };
    return new CallMeter(bus, call, {
      log,
      onExhausted: ignore,
      onLost: ignore,
    });
  };

  it('counts the tokens of turns that have charges of their own', () => {
    const meter = metering();
    meter.useTurn({ chargeId: 'a3a1f6c2-0b1d-4c2e-9d3f-4e5f60718293', tokens: 558 });
    meter.useTurn({ chargeId: 'a3a1f6c2-0b1d-4c2e-9d3f-4e5f60718294', tokens: 0 });
    expect(meter.used).toEqual({ STT_API: 0, TTS_API: 0, TTT_API: 558 });
  });

  it('charges no whole second of filled-in silence, and all received sound', () => {
    const meter = metering();
    // A second and a half arrived, a few frames were concealed, and five seconds of silence are reported as they pass.
    meter.use([{ kind: 'STT_API', units: 2 }]);
    for (let second = 0; second < 5; second += 1) {
      for (let frame = 0; frame < 50; frame += 1) meter.filled(20);
      meter.use([{ kind: 'STT_API', units: 1 }]);
    }
    expect(meter.used.STT_API).toBe(2);
    meter.filled(900);
    meter.use([
      { kind: 'STT_API', units: 1 },
      { kind: 'TTS_API', units: 7 },
    ]);
    meter.filled(100);
    meter.use([{ kind: 'STT_API', units: 3 }]);
    expect(meter.used).toEqual({ STT_API: 5, TTS_API: 7, TTT_API: 0 });
  });

  it.each([
    [true, ['undecided']],
    [false, []],
  ])('tells of undecided seconds if its gateway takes them: %s', async (takesUndecided, types) => {
    const told: { type: string }[] = [];
    const incoming = { [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(ignore) }) };
    const channel = { signal: (signal: { type: string }) => void told.push(signal), incoming };
    const bus = { open: async () => ({ accepted: { isHeld: true, takesUndecided }, channel }) } as unknown as ServiceBus;
    const meter = metering(bus);
    await meter.begin();
    meter.foresee(6);
    expect(told.map(({ type }) => type)).toEqual(types);
  });
});
