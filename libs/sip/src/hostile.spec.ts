import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { eventually, LongWaits } from '@parley/testing';
import fc from 'fast-check';
import { parseSdp } from './call/negotiation';
import { formatMessage, parseMessage, request, SipHeaders, splitList, tagOf } from './message/sip-message';
import { formatNameAddress, formatUri, parseNameAddress, parseUri } from './message/sip-uri';
import { JitterBuffer } from './rtp/jitter-buffer';
import { parseReports } from './rtp/reports';
import { formatRtp, parseRtp } from './rtp/rtp-packet';
import { openEndpoint, RawPeer } from './sip-pair.fake';
import { MessageCutter } from './transport/sip-transport';
import { SipAdmission } from './transport/admission';

const invite = [
  'INVITE sip:agent@127.0.0.1 SIP/2.0',
  'Via: SIP/2.0/UDP 127.0.0.1:5070;branch=z9hG4bKabc;rport',
  'From: "A, \\"b\\"" <sip:a@127.0.0.1>;tag=1',
  'To: <sip:agent@127.0.0.1>',
  'Call-ID: one',
  'CSeq: 1 INVITE',
  'Contact: <sip:a@127.0.0.1:5070>',
  'Content-Type: application/sdp',
  '',
  'v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio 40000 RTP/AVP 0 101\r\na=rtpmap:101 telephone-event/8000\r\n',
].join('\r\n');

/** A valid message with some of its bytes changed, dropped, doubled, or its lines shuffled: closer to real malice than noise is. */
const broken = fc
  .tuple(
    fc.array(
      fc.tuple(
        fc.nat(invite.length),
        fc.constantFrom('', '\r\n', '\0', ';', ',', '<', '"', '=', ' ', '9'.repeat(400), ':', '%', '\\'),
      ),
      { maxLength: 8 },
    ),
    fc.nat(invite.length),
  )
  .map(([edits, cut]) => {
    let text = invite;
    for (const [at, put] of edits) text = text.slice(0, at) + put + text.slice(at + 1);
    return Buffer.from(cut % 3 === 0 ? text.slice(0, cut) : text);
  });
const anything = fc.oneof(
  broken,
  fc.uint8Array({ maxLength: 600 }).map((bytes) => Buffer.from(bytes)),
);

describe('what strangers send', () => {
  it('is read as a message or as malformed, and never throws', () => {
    fc.assert(
      fc.property(anything, (bytes) => {
        const message = parseMessage(bytes);
        if (message.kind === 'malformed') return;
        for (const name of ['From', 'To', 'Contact', 'Refer-To']) parseNameAddress(message.headers.get(name) ?? '');
        parseSdp(message.body);
        // What we pass on or answer with can be read again, and holds no line that was smuggled in.
        const again = parseMessage(formatMessage(message));
        expect(again.kind).toBe(message.kind);
      }),
      { numRuns: 3000 },
    );
  });

  it('says the same once it was written and read again', () => {
    const uri = fc.record({
      user: fc.string({ minLength: 1, maxLength: 20 }).filter((user) => !/\p{Cc}|[\ud800-\udfff]/u.test(user)),
      host: fc.constantFrom('example.org', '10.0.0.1', '::1'),
      port: fc.integer({ min: 1, max: 65_535 }),
    });
    fc.assert(
      fc.property(uri, fc.string({ maxLength: 20 }), (address, displayName) => {
        const written = { ...address, parameters: new Map([['transport', 'tcp']]) };
        expect(parseUri(formatUri(written))).toEqual(written);
        const named = parseNameAddress(formatNameAddress({ displayName, uri: written, parameters: new Map([['tag', 'x1']]) }));
        expect(named?.uri).toEqual(written);
        expect(named?.parameters.get('tag')).toBe('x1');
      }),
    );
  });

  it('cannot put a header into a message through a value', () => {
    const headers = SipHeaders.of([
      ['Via', 'SIP/2.0/UDP a'],
      ['From', '<sip:a@b>;tag=1'],
      ['To', '<sip:c@d>\r\nX-Evil: yes'],
      ['Call-ID', 'i'],
      ['CSeq', '1 OPTIONS'],
    ]);
    const read = parseMessage(formatMessage(request('OPTIONS', 'sip:c@d', headers)));
    expect(read.kind === 'request' && read.headers.get('X-Evil')).toBeUndefined();
  });

  it.each([
    ['a tag inside of quotes', '"x;tag=no" <sip:a@b;tag=no>', undefined],
    ['a tag after the address', '<sip:a@b>;x=1;tag=yes', 'yes'],
    ['a tag of the short form', 'sip:a@b;tag=yes', 'yes'],
  ])('finds %s where it is', (_name, value, tag) => {
    expect(tagOf(value)).toBe(tag);
  });

  it('reads folded lines, compact names, and lists in one line or many', () => {
    const text =
      'OPTIONS sip:a@b SIP/2.0\r\nv: SIP/2.0/UDP a;branch=z9hG4bK1,\r\n SIP/2.0/UDP b\r\nVIA: SIP/2.0/UDP c\r\nf: <sip:a@b>;tag=1\r\nt: <sip:a@b>\r\ni: 1\r\nCSeq: 1\r\n OPTIONS\r\nl: 0\r\n\r\n';
    const message = parseMessage(Buffer.from(text));
    expect(message.kind === 'request' && message.headers.list('Via')).toEqual([
      'SIP/2.0/UDP a;branch=z9hG4bK1',
      'SIP/2.0/UDP b',
      'SIP/2.0/UDP c',
    ]);
    expect(splitList('"a,b" <sip:a,b@c>, d')).toEqual(['"a,b" <sip:a,b@c>', 'd']);
  });

  it('is cut out of a connection the same, wherever its packets end', () => {
    const whole = invite.replace(
      'Content-Type',
      `Content-Length: ${Buffer.byteLength(invite.split('\r\n\r\n')[1] ?? '')}\r\nContent-Type`,
    );
    const stream = Buffer.from(`\r\n\r\n${whole}\r\n\r\n${whole}`);
    fc.assert(
      fc.property(fc.array(fc.nat(stream.length), { maxLength: 12 }), (cuts) => {
        const cutter = new MessageCutter();
        const at = [0, ...cuts.toSorted((one, other) => one - other), stream.length];
        const messages = at.slice(1).flatMap((to, i) => cutter.push(stream.subarray(at[i], to)) ?? [Buffer.from('broken')]);
        expect(messages.map(String)).toEqual([whole, whole]);
      }),
    );
    expect(new MessageCutter().push(Buffer.alloc(20_000, 'a'))).toBeUndefined();
  });

  it('is parsed in linear time, even one byte to a packet', () => {
    const head = `INVITE sip:a@b SIP/2.0\r\nX: ${'y'.repeat(4_000)}\r\nContent-Length: 30000\r\n\r\n`;
    const stream = Buffer.from(head + 'z'.repeat(30_000));
    let [copied, read] = [0, 0];
    const { concat } = Buffer;
    const { copy, toString } = Buffer.prototype;
    jest.spyOn(Buffer, 'concat').mockImplementation((parts) => {
      copied += parts.reduce((sum, { length }) => sum + length, 0);
      return concat(parts);
    });
    jest.spyOn(Buffer.prototype, 'copy').mockImplementation(function counted(this: Buffer, ...args: Parameters<typeof copy>) {
      const bytes = copy.apply(this, args);
      copied += bytes;
      return bytes;
    });
    jest.spyOn(Buffer.prototype, 'toString').mockImplementation(function counted(this: Buffer, ...args) {
      const text = toString.apply(this, args);
      read += text.length;
      return text;
    });
    const cutter = new MessageCutter();
    const cut = Array.from(stream, (_, at) => cutter.push(stream.subarray(at, at + 1))).flatMap((messages) => messages ?? []);
    jest.restoreAllMocks();
    expect(cut).toEqual([stream]);
    expect(copied).toBeLessThan(5 * stream.length);
    expect(read).toBeLessThan(5 * stream.length);
  });

  it('is read as RTP, as reports or as nothing', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.integer({ min: 0x80, max: 0xbf }), (bytes, first) => {
        const packet = Buffer.from([first, ...bytes]);
        parseRtp(packet);
        parseReports(packet);
        parseReports(Buffer.from([first, 200 + ((bytes[0] ?? 0) % 4), ...bytes]));
        parseSdp(Buffer.concat([Buffer.from('v=0\r\nm=audio 1 RTP/AVP 0\r\n'), Buffer.from(bytes)]));
      }),
      { numRuns: 3000 },
    );
  });

  it('yields no more sound than time has passed, whatever the numbers and timestamps of RTP', () => {
    const packets = fc.array(fc.tuple(fc.nat(0xffff), fc.nat(0xffff_ffff), fc.constantFrom(0, 1, 160, 240), fc.nat(3)), {
      maxLength: 60,
    });
    fc.assert(
      fc.property(packets, (stream) => {
        let samples = 0;
        let received = 0;
        const jitter = new JitterBuffer('PCMU', ({ payload }) => (samples += payload.length));
        for (const [i, [sequence, timestamp, length, source]] of stream.entries()) {
          const head = { payloadType: 0, marker: false, sequence, timestamp, source };
          const packet = parseRtp(formatRtp(head, new Uint8Array(length)));
          if (packet) jitter.push(packet, i * 20);
          received += length;
          jitter.tick(i * 20);
        }
        // Each packet may be preceded by a pause of a second at most, and each tick conceals ten frames at most.
        expect(samples).toBeLessThanOrEqual(received + stream.length * (8000 + 10 * 160));
      }),
    );
  });

  it('does not stop an endpoint, and leaves nothing behind', async () => {
    const endpoint = await openEndpoint({
      incoming: (call) => call.refuse(486),
      admission: { trusted: ['127.0.0.1'], trustedMessagesPerSecond: 100_000 },
    });
    const peer = await RawPeer.open();
    try {
      const samples = fc.sample(anything, { numRuns: 800, seed: 7 });
      for (const bytes of samples) if (bytes.length > 0) peer.send(bytes, endpoint.address.port);
      peer.send(
        `OPTIONS sip:x@127.0.0.1 SIP/2.0\r\nVia: SIP/2.0/UDP 127.0.0.1:${peer.port};branch=z9hG4bKlast;rport\r\nFrom: <sip:a@b>;tag=1\r\nTo: <sip:c@d>\r\nCall-ID: last\r\nCSeq: 9 OPTIONS\r\n\r\n`,
        endpoint.address.port,
      );
      expect(await peer.answer(/Call-ID: last/)).toMatch(/^SIP\/2\.0 200/);
      expect(endpoint.counts.malformed).toBeGreaterThan(300);
      expect(endpoint.callCount).toBe(0);
      expect(endpoint.counts.mediaPortsLeft).toBe(50);
    } finally {
      peer.close();
      await endpoint.close();
    }
  });

  // macOS answers at no second loopback address unless somebody adds one.
  const itWithTwoAddresses = process.platform === 'linux' ? it : it.skip;

  itWithTwoAddresses('is not read beyond the rate of its source, and others are', async () => {
    const endpoint = await openEndpoint({ admission: { messagesPerSecond: 5 } });
    const [peer, other] = [await RawPeer.open(), await RawPeer.open('127.0.0.2')];
    const options = (from: RawPeer, host: string, callId: string): void =>
      from.send(
        `OPTIONS sip:x@127.0.0.1 SIP/2.0\r\nVia: SIP/2.0/UDP ${host}:${from.port};branch=z9hG4bK${callId};rport\r\nFrom: <sip:a@b>;tag=1\r\nTo: <sip:c@d>\r\nCall-ID: ${callId}\r\nCSeq: 9 OPTIONS\r\n\r\n`,
        endpoint.address.port,
      );
    try {
      for (let i = 0; i < 200; i++) options(peer, '127.0.0.1', `flood${i}`);
      options(other, '127.0.0.2', 'other');
      await other.answer(/Call-ID: other/);
      await peer.answer(/Call-ID: flood9\r/);
      // What was read opened a transaction: two seconds' worth of the one, and one of the other.
      expect(endpoint.counts.transactions).toBeLessThan(15);
    } finally {
      peer.close();
      other.close();
      await endpoint.close();
    }
  });

  it('closes a connection that never completes a message', async () => {
    using waits = new LongWaits(30_000, 40_000);
    const endpoint = await openEndpoint({});
    const open = async (): Promise<Socket> => {
      const socket = connect(endpoint.address.port, '127.0.0.1').on('error', () => undefined);
      await once(socket, 'connect');
      return socket;
    };
    const ask = async (socket: Socket, callId: string): Promise<void> => {
      const head = ['OPTIONS sip:x@127.0.0.1 SIP/2.0', `Via: SIP/2.0/TCP 127.0.0.1:5070;branch=z9hG4bK${callId};rport`];
      const rest = ['From: <sip:a@b>;tag=1', 'To: <sip:c@d>', `Call-ID: ${callId}`, 'CSeq: 9 OPTIONS', 'Content-Length: 0'];
      socket.write(`${[...head, ...rest].join('\r\n')}\r\n\r\n`);
      expect(String(...(await once(socket, 'data')))).toMatch(/^SIP\/2\.0 200/);
    };
    const [dripping, asking] = [await open(), await open()];
    try {
      await eventually('both are known', () => waits.held === 2);
      dripping.write('OPTIONS sip:x@127.0.0.1 SIP/2.0\r\nVia: ');
      await ask(asking, 'first');
      waits.end();
      await once(dripping, 'close');
      await ask(asking, 'second');
    } finally {
      dripping.destroy();
      asking.destroy();
      await endpoint.close();
    }
  });

  it('leaves half of the connections to our own', () => {
    const admission = new SipAdmission({ trusted: ['10.0.0.0/8'] });
    const open: string[] = [];
    const connect = (address: string): boolean => admission.connects(address, open) && open.push(address) > 0;
    for (let host = 1; host <= 40; host += 1) for (let n = 0; n < 20; n += 1) connect(`192.0.2.${host}`);
    expect(open.filter((address) => address === '192.0.2.1')).toHaveLength(16);
    expect(open).toHaveLength(256);
    for (let n = 0; n < 300; n += 1) connect('10.0.0.1');
    expect(open).toHaveLength(512);
  });
});
