import type { RemoteInfo } from 'node:dgram';
import { muLaw } from '@parley/audio';
import { Concealment, type ReceivedFrame, JitterBuffer } from './jitter-buffer';
import { DigitReceiver, DigitSender, formatRtp, type RtpPacket } from './rtp-packet';
import { FrameClock, type FrameTime, RtpSendQueue } from './paced-sending';
import { type DatagramEnd, PortPairs } from './port-pairs';
import { formatReport, parseReports, ReceptionStatistics } from './reports';
import { SoundSession } from './sound-session';

const packet = (sequence: number, more: Partial<RtpPacket> = {}): RtpPacket => ({
  payloadType: 0,
  marker: false,
  sequence: sequence & 0xffff,
  timestamp: (sequence * 160) >>> 0,
  source: 1,
  payload: Buffer.alloc(160, sequence & 0x7f),
  ...more,
});

describe('the jitter buffer', () => {
  let out: ReceivedFrame[];
  let jitter: JitterBuffer;
  beforeEach(() => {
    out = [];
    jitter = new JitterBuffer('PCMU', (sound) => out.push(sound));
  });
  /** Packets as they arrive, and ticks between them, in milliseconds. */
  const play = (arrivals: readonly (readonly [atMs: number, packet: RtpPacket])[], untilMs: number): void => {
    for (let ms = 0; ms <= untilMs; ms++) {
      for (const [atMs, one] of arrivals) if (atMs === ms) jitter.push(one, ms);
      if (ms % 20 === 0) jitter.tick(ms);
    }
  };
  const heard = (): (number | 'lost')[] => out.map(({ payload, isConcealed }) => (isConcealed ? 'lost' : (payload[0] ?? 0)));

  it('passes ordered packets on at once', () => {
    jitter.push(packet(5), 0);
    jitter.push(packet(6), 20);
    expect(heard()).toEqual([5, 6]);
  });

  it('reorders packets, across the wrap of sequence numbers', () => {
    play(
      [0, 2, 1, 3].map((offset, i) => [i * 20, packet(65_534 + offset, { payload: Buffer.alloc(160, offset) })]),
      60,
    );
    expect(heard()).toEqual([0, 1, 2, 3]);
  });

  it('conceals one lost packet and waits no longer than its patience for it', () => {
    play(
      [
        [0, packet(0)],
        [40, packet(2)],
        [60, packet(3)],
        [80, packet(4)],
      ],
      100,
    );
    expect(heard()).toEqual([0, 'lost', 2, 3, 4]);
    expect(jitter.concealedSamples).toBe(160);
  });

  it('plays a packet once, however often it arrives', () => {
    play(
      [
        [0, packet(0)],
        [1, packet(0)],
        [20, packet(1)],
        [21, packet(1)],
      ],
      40,
    );
    expect(heard()).toEqual([0, 1]);
  });

  it('keeps time while a peer with silence suppression sends nothing, for five seconds at most', () => {
    play([[0, packet(0)]], 10_000);
    const silentMs = out.slice(1).reduce((sum, { payload }) => sum + payload.length / 8, 0);
    expect(silentMs).toBeGreaterThan(4500);
    expect(silentMs).toBeLessThan(5100);
    expect(out.map(({ isFiller = false }) => isFiller)).toEqual(out.map((_, at) => at > 3));
  });

  it('resumes a stream whose clock went on during a pause, including the pause', () => {
    play(
      [
        [0, packet(0)],
        [60, packet(1, { timestamp: 3 * 160 })],
      ],
      60,
    );
    expect(out.map(({ payload, isFiller = false }) => [payload.length, isFiller])).toEqual([
      [160, false],
      [320, true],
      [160, false],
    ]);
  });

  it('follows a sender that stalled and continues with its old clock', () => {
    play([[0, packet(0)], ...[1, 2, 3, 4, 5, 6].map((n): [number, RtpPacket] => [1000 + n * 20, packet(n)])], 1200);
    expect(heard().filter((one) => one !== 'lost')).toEqual([0, 3, 4, 5, 6]);
  });

  it('starts over with another source', () => {
    play(
      [
        [0, packet(0)],
        [20, packet(900, { source: 2, payload: Buffer.alloc(160, 9) })],
      ],
      40,
    );
    expect(heard()).toEqual([0, 9]);
  });
});

describe('concealment', () => {
  it('continues the voice’s pitch, fades, and is silent after 60 ms', () => {
    const concealment = new Concealment('PCMU');
    const voice = muLaw.encode(Int16Array.from({ length: 480 }, (_, i) => Math.round(8000 * Math.sin((2 * Math.PI * i) / 64))));
    for (let at = 0; at < 480; at += 160) concealment.heard(voice.subarray(at, at + 160));
    const filled = muLaw.decode(concealment.conceal(160));
    const expected = Array.from({ length: 80 }, (_, i) => 8000 * Math.sin((2 * Math.PI * (480 + i)) / 64));
    const difference = expected.reduce((sum, sample, i) => sum + Math.abs(sample - (filled[i] ?? 0)), 0) / 80;
    expect(difference).toBeLessThan(800);
    concealment.conceal(320);
    expect([...muLaw.decode(concealment.conceal(160))].every((sample) => sample === 0)).toBe(true);
  });
});

describe('keys', () => {
  it('are received once each, even if all but one of their packets are lost', () => {
    const sender = new DigitSender();
    sender.press('11#');
    const sent: RtpPacket[] = [];
    for (let tick = 0, timestamp = 0; sender.isPressing; tick++, timestamp += 160) {
      for (const { payload, timestamp: pressedAt } of sender.next(timestamp)) {
        sent.push(packet(0, { payload: Buffer.from(payload), timestamp: pressedAt }));
      }
    }
    const keysOf = (packets: RtpPacket[]): string => {
      const receiver = new DigitReceiver();
      return packets.map((one) => receiver.push(one) ?? '').join('');
    };
    expect(keysOf(sent)).toBe('11#');
    // Eight packets per key: five while it is down, and its end three times.
    expect(keysOf(sent.filter((_, i) => i % 8 === 7))).toBe('11#');
    expect(sent).toHaveLength(24);
  });
});

describe('the queue of sound', () => {
  it('yields frames of 20 ms, pads the last before a mark, and reports the mark after it', () => {
    const queue = new RtpSendQueue();
    queue.push(new Uint8Array(200).fill(1));
    queue.mark('end');
    const turns = [queue.take(0xff), queue.take(0xff), queue.take(0xff)];
    expect(turns.map(({ marks, payload }) => [marks, payload?.length])).toEqual([
      [[], 160],
      [[], 160],
      [['end'], undefined],
    ]);
    expect([...(turns[1]?.payload ?? [])].filter((byte) => byte === 0xff)).toHaveLength(120);
  });

  it('refuses, as a whole, what exceeds two minutes', () => {
    const queue = new RtpSendQueue();
    expect(queue.push(new Uint8Array(8000 * 120))).toBe(true);
    expect(queue.push(new Uint8Array(1))).toBe(false);
    expect(queue.queuedMs).toBe(120_000);
  });
});

describe('the clock of frames', () => {
  it('ticks on a grid, catches up after a short stall, and skips a long one', () => {
    let nowMs = 0;
    let wake = (): void => {};
    const time: FrameTime = { now: () => nowMs, wakeAt: (_atMs, run) => ((wake = run), () => {}) };
    const clock = new FrameClock(time);
    const beats: number[] = [];
    clock.join(({ ticks }) => beats.push(ticks));
    for (const at of [20, 41, 60, 125, 140, 1000, 1020]) {
      nowMs = at;
      wake();
    }
    expect(beats).toEqual([1, 1, 1, 3, 1, 5, 1]);
    expect(clock.punctuality).toMatchObject({ late: 2, skipped: 38 });
  });
});

describe('the clock of frames, when one call goes wrong', () => {
  it('continues for the others', () => {
    const wakes: (() => void)[] = [];
    const time: FrameTime = { now: () => 20 * wakes.length, wakeAt: (_atMs, run) => (wakes.push(run), () => {}) };
    const clock = new FrameClock(time);
    let beats = 0;
    clock.join(() => beats++);
    clock.join(() => {
      throw new Error('a call went wrong');
    });
    for (let i = 0; i < 3; i++) expect(() => wakes[i]?.()).toThrow('a call went wrong');
    expect(beats).toBe(3);
  });
});

describe('two lines in a process that sleeps for a while', () => {
  /** As with sockets, packets are read after the timers that are due. */
  class Cable implements DatagramEnd {
    private readonly waiting: Buffer[] = [];
    private received: (bytes: Buffer, from: RemoteInfo) => void = () => undefined;
    far: Cable | undefined;

    on(_event: 'message', received: (bytes: Buffer, from: RemoteInfo) => void): void {
      this.received = received;
    }

    send(bytes: Uint8Array): void {
      this.far?.waiting.push(Buffer.from(bytes));
    }

    read(): void {
      const from = { address: '127.0.0.1', port: 4000, family: 'IPv4', size: 0 } as const;
      for (const bytes of this.waiting.splice(0)) this.received(bytes, from);
    }
  }

  it.each([0, 60, 99, 150, 400, 3_000])(
    'lose nothing of what one says to the other in %i ms of it, and press no key twice',
    (sleptMs) => {
      let nowMs = 0;
      let wake = (): void => {};
      const clock = new FrameClock({ now: () => nowMs, wakeAt: (_atMs, run) => ((wake = run), () => {}) });
      const [one, other] = [new Cable(), new Cable()];
      [one.far, other.far] = [other, one];
      const heard: ReceivedFrame[] = [];
      let keys = '';
      const open = (sound: Cable, heardHere: (heard: ReceivedFrame) => void) => {
        const ports = { sound, reports: new Cable(), port: 4000, close: () => undefined };
        const listener = {
          sound: heardHere,
          digit: (key: string) => void (keys += key),
          marks: () => undefined,
          starved: () => undefined,
        };
        const line = new SoundSession({ ports, clock, listener, signalling: '127.0.0.1', starvedAfterMs: 60_000 });
        line.agree({ address: '127.0.0.1', port: 4000, codec: 'PCMU', digits: 101, sends: true, receives: true });
        return line;
      };
      const speaker = open(one, () => undefined);
      const listener = open(other, (sound) => heard.push(sound));
      const pass = (ms: number): void => {
        nowMs += ms;
        wake();
        one.read();
        other.read();
      };
      for (let beat = 0; beat < 5; beat += 1) pass(20);
      speaker.send(Buffer.alloc(1600, 0x21));
      for (let beat = 0; beat < 3; beat += 1) pass(20);
      pass(20 + sleptMs);
      for (let beat = 0; beat < 20; beat += 1) pass(20);
      const words = heard.filter(({ payload, isConcealed }) => !isConcealed && payload[0] === 0x21);
      expect(words).toHaveLength(10);
      expect(listener.statistics).toMatchObject({ packetsLate: 0, packetsLost: 0 });
      speaker.press('5#');
      for (let beat = 0; beat < 2; beat += 1) pass(20);
      pass(20 + sleptMs);
      for (let beat = 0; beat < 20; beat += 1) pass(20);
      expect(keys).toBe('5#');
      speaker.close();
      listener.close();
    },
  );
});

describe('sound before a called phone answers', () => {
  const place = { address: '192.0.2.2', port: 7000 };
  const agreed = { ...place, codec: 'PCMU', sends: true, receives: true } as const;

  /** A call to a phone, and where its packets go once a neighbour of the phone's address has sent fifty of them. */
  const open = () => {
    let receive: (bytes: Buffer, from: RemoteInfo) => void = () => undefined;
    const sentTo: number[] = [];
    let wake: () => void = () => undefined;
    let nowMs = 0;
    const sound: DatagramEnd = {
      on: (_event, received) => void (receive = received),
      send: (_bytes, port) => void sentTo.push(port),
    };
    const time: FrameTime = { now: () => nowMs, wakeAt: (_atMs, called) => ((wake = called), () => undefined) };
    const ports = { sound, reports: { on: () => undefined, send: () => undefined }, port: 4000, close: () => undefined };
    const listener = { sound: () => undefined, digit: () => undefined, marks: () => undefined, starved: () => undefined };
    const call = new SoundSession({
      ...{ ports, clock: new FrameClock(time), listener, signalling: place.address, starvedAfterMs: 60_000 },
    });
    const send = (port: number, source: number, packets: number): void => {
      for (let n = 0; n < packets; n++) {
        const one = packet(n, { source });
        receive(formatRtp(one, one.payload), { ...place, port, family: 'IPv4', size: 172 });
      }
    };
    const afterNeighbour = (): number | undefined => {
      send(5000, 8, 50);
      nowMs += 20;
      wake();
      return sentTo.at(-1);
    };
    return { call, send, afterNeighbour };
  };

  it.each([
    ['where it says', place],
    ['at another place', { ...place, port: 7002 }],
  ])('proves which stream is its own, if it answers %s and is silent', (_, answered) => {
    const { call, send, afterNeighbour } = open();
    call.expect('phone', place);
    send(5000, 8, 10);
    send(place.port, 1, 10);
    call.answeredBy('phone');
    call.agree({ ...agreed, ...answered });
    expect(afterNeighbour()).toBe(answered.port);
  });

  it('proves nothing of another phone that answers', () => {
    const { call, send, afterNeighbour } = open();
    call.expect('one', place);
    send(place.port, 1, 10);
    call.answeredBy('other');
    call.agree(agreed);
    expect(afterNeighbour()).toBe(5000);
  });
});

describe('reports', () => {
  it('report loss and jitter as defined by RFC 3550', () => {
    const reception = new ReceptionStatistics();
    for (let n = 0; n < 100; n++) if (n % 10 !== 5) reception.packet(packet(n + 65_500), n * 20 + (n % 2) * 8);
    const block = reception.block(2000);
    expect(block).toMatchObject({ packetsLost: 10, fractionLost: Math.floor((10 * 256) / 100), highestSequence: 65_599 });
    expect(reception.jitterMs).toBeGreaterThan(5);
    expect(reception.jitterMs).toBeLessThan(9);
  });

  it('are read as they were written', () => {
    const block = {
      source: 7,
      fractionLost: 3,
      packetsLost: -2,
      highestSequence: 9,
      jitter: 4,
      lastSenderReport: 5,
      delaySinceLast: 6,
    };
    const sender = { ntpSeconds: 1, ntpFraction: 2, timestamp: 3, packets: 4, bytes: 5 };
    const report = { source: 42, sender, blocks: [block], isGoodbye: true };
    expect(parseReports(formatReport(report, 'name'))).toEqual(report);
  });
});

describe('media ports', () => {
  it('are given out in pairs until none is left, and can be returned', async () => {
    const pairs = new PortPairs({ host: '127.0.0.1', from: 28_001, to: 28_005 });
    const taken = [await pairs.take(), await pairs.take()].filter((pair) => pair !== undefined);
    expect(taken.every(({ port }) => port % 2 === 0)).toBe(true);
    expect(await pairs.take()).toBeUndefined();
    for (const pair of taken) pair.close();
    expect(pairs.left).toBe(taken.length);
  });
});
