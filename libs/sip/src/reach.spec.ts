import { type DatagramEnd, FrameClock, SipEndpoint, SoundSession } from './index';

const signalling = '203.0.113.9';
const isOutside = (address: string): boolean => !address.startsWith('192.168.') && !address.startsWith('127.');

describe('an address that may not be sent to', () => {
  /** Where the frames of a call go whose peer describes its sound to be at this address. */
  const soundFor = (address: string, reaches?: (to: string) => boolean): string[] => {
    const targets: string[] = [];
    let beat = (): void => {};
    let nowMs = 0;
    const wakeAt = (_atMs: number, wake: () => void): (() => void) => {
      beat = wake;
      return () => {};
    };
    const clock = new FrameClock({ now: () => nowMs, wakeAt });
    const end = (onSend: (to: string) => void): DatagramEnd => ({ on: () => {}, send: (_bytes, _port, to) => onSend(to) });
    const line = new SoundSession({
      ports: { sound: end((to) => targets.push(to)), reports: end(() => {}), port: 4000, close: () => {} },
      clock,
      signalling,
      starvedAfterMs: 30_000,
      ...(reaches && { reaches }),
      listener: { sound: () => {}, digit: () => {}, marks: () => {}, starved: () => {} },
    });
    line.agree({ address, port: 5000, codec: 'PCMU', sends: true, receives: true });
    nowMs = 20;
    beat();
    line.close();
    return targets;
  };

  it('gets no sound, however it is described: that goes where the signalling comes from', () => {
    expect(soundFor('192.168.1.5', isOutside)).toEqual([signalling]);
    expect(soundFor('198.51.100.7', isOutside)).toEqual(['198.51.100.7']);
    expect(soundFor('192.168.1.5')).toEqual(['192.168.1.5']);
  });

  it('gets no call and no question', async () => {
    const media = { host: '127.0.0.1', from: 23_990, to: 23_999 };
    const endpoint = await SipEndpoint.open({ host: '127.0.0.1', port: 0, media, incoming: () => {}, reaches: isOutside });
    try {
      const to = { host: '127.0.0.1', port: 9, parameters: new Map<string, string>() };
      const call = { to, from: { user: 'agent' }, ringMs: 1000, listener: {} };
      expect(await endpoint.place(call)).toBe('unknown-host');
      expect(await endpoint.isThere(to)).toBeUndefined();
    } finally {
      await endpoint.close();
    }
  });
});
