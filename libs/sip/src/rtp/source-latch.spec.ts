import { SourceLatch } from './port-pairs';
import type { RtpPacket } from './rtp-packet';

const packet = (sequence: number, { source = 1 } = {}): RtpPacket => ({
  payloadType: 0,
  marker: false,
  sequence: sequence & 0xffff,
  timestamp: (sequence * 160) >>> 0,
  source,
  payload: Buffer.alloc(160),
});

describe('RTP packets are accepted', () => {
  const described = { address: '192.0.2.1', port: 4000, isAsWritten: true };
  const from = (address: string, port: number) => ({ address, port, family: 'IPv4' as const, size: 172 });

  /** A line on which a neighbour of the peer sent some packets first, and times after them. */
  const afterStrays = (strays: number, fromMs: number, toMs: number) => {
    const latch = new SourceLatch({ ...described, isAsWritten: false }, '192.0.2.1');
    for (let n = 1; n <= strays; n++) latch.admits(packet(n, { source: 7 }), from('192.0.2.1', 5000), n * 20);
    const times = Array.from({ length: (toMs - fromMs) / 20 }, (_, n) => strays * 20 + fromMs + n * 20);
    return { latch, times };
  };

  it('from the address in the description, at once', () => {
    const latch = new SourceLatch(described, '192.0.2.9');
    expect(latch.admits(packet(1), from('192.0.2.1', 4000), 0)).toBe(true);
  });

  it('behind a NAT from another port, after three in a row, and then ours go there', () => {
    const latch = new SourceLatch(described, '192.0.2.9');
    const admitted = [1, 2, 3].map((n) => latch.admits(packet(n), from('192.0.2.9', 61_000), n * 20));
    expect(admitted).toEqual([false, false, true]);
    expect(latch.target).toMatchObject({ address: '192.0.2.9', port: 61_000 });
  });

  it.each([
    ['within three seconds', 0, 2960, 74],
    ['if they were a second and a half of sound', 0, 10_000, 75],
  ])('behind a NAT from nobody else, if stray packets came first, %s', (_, fromMs, toMs, strays) => {
    const { latch, times } = afterStrays(strays, fromMs, toMs);
    expect(times.some((atMs, n) => latch.admits(packet(n, { source: 8 }), from('192.0.2.1', 61_000), atMs))).toBe(false);
  });

  it.each([3, 74])('behind a NAT from whoever speaks on, three seconds after %i stray packets that came first', (strays) => {
    const { latch, times } = afterStrays(strays, 0, 10_000);
    const admitted = times.map((atMs, n) => latch.admits(packet(n, { source: 8 }), from('192.0.2.1', 61_000), atMs));
    expect(admitted.slice(0, 148)).not.toContain(true);
    expect(admitted.slice(153).every(Boolean)).toBe(true);
    // The stray one comes back too late.
    expect(latch.admits(packet(strays + 1, { source: 7 }), from('192.0.2.1', 5000), 30_000)).toBe(false);
  });

  it('from the described address and port also if a neighbour came first, and from then on only from there', () => {
    const latch = new SourceLatch(described, '192.0.2.9');
    for (let n = 1; n <= 5; n++) latch.admits(packet(n, { source: 7 }), from('192.0.2.1', 5000), n * 20);
    expect(latch.target.port).toBe(5000);
    for (let n = 1; n <= 20; n++) {
      expect(latch.admits(packet(n, { source: 8 }), from('192.0.2.1', 4000), 100 + n * 20)).toBe(true);
      expect(latch.admits(packet(5 + n, { source: 7 }), from('192.0.2.1', 5000), 101 + n * 20)).toBe(false);
    }
    expect(latch.target.port).toBe(4000);
  });

  it('of a peer that moves and that no NAT hid, from a third place only if the stream is the same', () => {
    const latch = new SourceLatch(described, '192.0.2.1');
    for (let n = 1; n <= 3; n++) latch.admits(packet(n, { source: 7 }), from('192.0.2.1', 4000), n * 20);
    latch.describe({ ...described, port: 4010 }, 100);
    for (let n = 1; n <= 500; n++)
      expect(latch.admits(packet(n, { source: 8 }), from('192.0.2.1', 5000), 100 + n * 20)).toBe(false);
    expect(latch.admits(packet(1, { source: 9 }), from('192.0.2.1', 4010), 20_000)).toBe(true);
    expect(latch.target.port).toBe(4010);
  });

  it('of another phone behind a NAT that a call is handed to, once nothing has come from where it says that it is', () => {
    const latch = new SourceLatch(described, '192.0.2.1');
    for (let n = 1; n <= 5; n++) latch.admits(packet(n, { source: 7 }), from('192.0.2.1', 4000), n * 20);
    latch.describe({ ...described, address: '10.0.0.5' }, 120);
    const times = Array.from({ length: 250 }, (_, n) => 120 + n * 20);
    const admitted = times.filter((atMs, n) => latch.admits(packet(n, { source: 9 }), from('192.0.2.1', 61_000), atMs));
    expect(admitted[0]).toBeGreaterThanOrEqual(3120);
    expect(latch.target.port).toBe(61_000);
    // Once it has been heard, nobody else is.
    expect(times.some((atMs, n) => latch.admits(packet(n, { source: 8 }), from('192.0.2.1', 5000), 20_000 + atMs))).toBe(false);
  });

  describe.each([
    ['as the NAT hides it', { ...described, isAsWritten: false }, { port: 4010 }],
    ['on a private network that might be ours', { ...described, address: '10.0.0.5' }, { port: 4010 }],
    ['on another such network', { ...described, address: '10.0.0.5' }, { address: '10.9.0.5' }],
  ])('of a peer behind a NAT that names another place, %s,', (_, hidden, next) => {
    const phone = from('192.0.2.1', 61_000);
    const neighbour = from('192.0.2.1', 5000);
    let latch: SourceLatch;
    let spoken = 0;

    /** From 160 ms on, when the phone has named another place. */
    const spray = (fromMs: number, toMs: number): number[] => {
      const times = Array.from({ length: (toMs - fromMs) / 20 }, (_, n) => fromMs + n * 20);
      return times.filter((atMs) => latch.admits(packet(atMs / 20, { source: 8 }), neighbour, atMs));
    };
    const speaks = (atMs: number, place = phone, source = 7) => latch.admits(packet(++spoken, { source }), place, atMs);

    beforeEach(() => {
      latch = new SourceLatch(hidden, '192.0.2.1');
      spoken = 0;
      for (let n = 1; n <= 80; n++) speaks(n * 1.5);
      latch.describe({ ...hidden, ...next }, 160);
    });

    it('from where it was, however long it speaks, and from no neighbour', () => {
      for (let atMs = 160; atMs < 10_000; atMs += 20) {
        expect(speaks(atMs)).toBe(true);
        expect(spray(atMs, atMs + 20)).toEqual([]);
      }
    });

    it('from another port at once with its stream, and from no neighbour before', () => {
      expect(spray(160, 400)).toEqual([]);
      expect(latch.target).toMatchObject('address' in next ? next : { port: 61_000 });
      expect(speaks(400, from('192.0.2.1', 62_000))).toBe(true);
      expect(latch.target.port).toBe(62_000);
    });

    it('from another port with another stream once it has been silent for three seconds', () => {
      const moved = from('192.0.2.1', 62_000);
      expect(Array.from({ length: 142 }, (_, n) => speaks(160 + n * 20, moved, 9)).includes(true)).toBe(false);
      expect([0, 20, 40].map((ms) => speaks(3160 + ms, moved, 9))).toContain(true);
    });

    it.each([
      ['from where it was', phone],
      ['with its stream', from('192.0.2.1', 62_000)],
    ])('at once, %s, from a neighbour who came while it was silent for longer', (_, place) => {
      expect(spray(160, 5000).at(0)).toBeGreaterThanOrEqual(3160);
      expect(latch.target.port).toBe(5000);
      expect(speaks(5000, place)).toBe(true);
      expect(spray(5020, 5800)).toEqual([]);
      expect(latch.target.port).toBe(place.port);
    });
  });

  it('from behind a NAT that hides what the peer wrote, from whoever came first and goes on', () => {
    const latch = new SourceLatch({ ...described, isAsWritten: false }, '192.0.2.1');
    for (let n = 1; n <= 3; n++) latch.admits(packet(n, { source: 7 }), from('192.0.2.1', 61_000), n * 20);
    expect(latch.admits(packet(1, { source: 8 }), from('192.0.2.1', 4000), 80)).toBe(false);
    expect(latch.target.port).toBe(61_000);
  });

  it('never from a stranger, even while nobody else sends', () => {
    const latch = new SourceLatch(described, '192.0.2.9');
    const admitted = Array.from({ length: 10 }, (_, n) => latch.admits(packet(n), from('198.51.100.7', 4000), n * 20));
    expect(admitted).not.toContain(true);
    expect(latch.target).toMatchObject({ address: '192.0.2.1', port: 4000 });
  });

  it('never from a stranger, and never from another port while the peer is sending', () => {
    const latch = new SourceLatch(described, '192.0.2.9');
    for (let n = 0; n < 50; n++) {
      expect(latch.admits(packet(n), from('198.51.100.7', 4000), n * 20)).toBe(false);
      expect(latch.admits(packet(n, { source: 2 }), from('192.0.2.1', 4000), n * 20)).toBe(true);
      expect(latch.admits(packet(n, { source: 3 }), from('192.0.2.1', 4002), n * 20)).toBe(false);
    }
    expect(latch.target.port).toBe(4000);
    expect(latch.foreign).toBe(100);
  });

  it('from a new port once the old one is silent', () => {
    const latch = new SourceLatch(described, '192.0.2.9');
    latch.admits(packet(1), from('192.0.2.1', 4000), 0);
    const admitted = [2, 3, 4].map((n) => latch.admits(packet(n), from('192.0.2.1', 5000), 1500 + n));
    expect(admitted).toEqual([false, false, true]);
  });

  it.each([
    ['from its own port', 4000],
    ['from behind a NAT', 61_000],
  ])('never from a neighbour of a silent peer %s, who has its address and not its stream', (_, port) => {
    const latch = new SourceLatch(described, '192.0.2.9');
    for (let n = 1; n <= 80; n++) latch.admits(packet(n, { source: 7 }), from('192.0.2.1', port), n * 20);
    // Another stream, and the same one from before.
    for (const [source, first] of [
      [8, 81],
      [7, -100],
    ] as const)
      for (let n = 0; n < 20; n++)
        expect(latch.admits(packet(first + n, { source }), from('192.0.2.1', 5000), 60_000 + n * 20)).toBe(false);
    expect(latch.target.port).toBe(port);
    expect(latch.admits(packet(81, { source: 9 }), from('192.0.2.1', port), 70_000)).toBe(true);
  });
});
