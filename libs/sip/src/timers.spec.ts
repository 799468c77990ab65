import { EventEmitter } from 'node:events';
import { agreedByAnswer, agreedByAsked, Dialog, sessionHeaders, SessionTimer } from './call/dialog';
import { answerTo, challengeIn, DigestGuard } from './message/digest';
import { parseMessage, SipHeaders, type SipRequest, type SipResponse } from './message/sip-message';
import type { ServerTransaction } from './transaction/server-transaction';
import { Transactions, type TransactionUser } from './transaction/transactions';
import type { SipPeer, SipTransport } from './transport/sip-transport';

const peer: SipPeer = { protocol: 'udp', address: '192.0.2.1', port: 5060 };

/** Transactions over a network that only writes down what was sent. */
function scene() {
  const sent: string[] = [];
  const transport: SipTransport = {
    advertised: { host: '192.0.2.9', port: 5060 },
    send: (bytes) => void sent.push(bytes.toString().split('\r\n')[0] ?? ''),
  };
  const asked: ServerTransaction[] = [];
  const news = new EventEmitter();
  const user: TransactionUser = {
    request: (transaction) => void asked.push(transaction),
    acknowledged: () => news.emit('ack'),
    cancelled: (invite) => invite.respond(487, { toTag: 'x' }),
    stray: () => {},
    holds: () => false,
    malformed: () => {},
  };
  const transactions = new Transactions(transport, user);
  const receive = (text: string): void => transactions.receive(Buffer.from(text), peer);
  return { sent, asked, transactions, receive };
}

const head = (method: string, branch = 'z9hG4bK1'): string =>
  `Via: SIP/2.0/UDP 192.0.2.1:5060;branch=${branch}\r\nFrom: <sip:a@b>;tag=1\r\nTo: <sip:c@d>\r\nCall-ID: i\r\nCSeq: 1 ${method}\r\n\r\n`;
const outgoing = (method: string): SipRequest => {
  const parsed = parseMessage(Buffer.from(`${method} sip:c@d SIP/2.0\r\n${head(method)}`));
  if (parsed.kind !== 'request') throw new Error('not a request');
  return { ...parsed, headers: parsed.headers.delete('Via') };
};

describe('the timers of RFC 3261', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('repeat an INVITE at 0.5, 1.5, 3.5, 7.5 … s, and give up after 32 s', () => {
    const { sent, transactions } = scene();
    let lost = 0;
    transactions.send(outgoing('INVITE'), peer, { response: () => {}, lost: () => lost++ });
    jest.advanceTimersByTime(8000);
    expect(sent).toHaveLength(5);
    jest.advanceTimersByTime(24_000);
    expect([sent.length, lost, transactions.open]).toEqual([7, 1, 0]);
    jest.advanceTimersByTime(60_000);
    expect(sent).toHaveLength(7);
  });

  it('repeat any other request with pauses of 4 s at most', () => {
    const { sent, transactions } = scene();
    transactions.send(outgoing('BYE'), peer, { response: () => {}, lost: () => {} });
    jest.advanceTimersByTime(31_900);
    expect(sent).toHaveLength(11);
  });

  it('repeat nothing over TCP', () => {
    const { sent, transactions } = scene();
    transactions.send(outgoing('INVITE'), { ...peer, protocol: 'tcp' }, { response: () => {}, lost: () => {} });
    jest.advanceTimersByTime(31_000);
    expect(sent).toHaveLength(1);
  });

  it('stop repeating with the first answer, and wait as long as it rings', () => {
    const { sent, transactions, receive } = scene();
    const statuses: number[] = [];
    let lost = 0;
    const listener = { response: ({ status }: SipResponse) => statuses.push(status), lost: () => lost++ };
    const { branch } = transactions.send(outgoing('INVITE'), peer, listener);
    receive(`SIP/2.0 180 Ringing\r\n${head('INVITE', branch)}`);
    jest.advanceTimersByTime(120_000);
    expect([sent.length, lost]).toEqual([1, 0]);
    for (let i = 0; i < 3; i++) receive(`SIP/2.0 486 Busy\r\n${head('INVITE', branch)}`);
    expect(statuses).toEqual([180, 486]);
    expect(sent.slice(1)).toEqual(Array(3).fill('ACK sip:c@d SIP/2.0'));
  });

  it('repeat our refusal until its ACK comes', () => {
    const { sent, asked, transactions, receive } = scene();
    receive(`INVITE sip:c@d SIP/2.0\r\n${head('INVITE')}`);
    asked[0]?.respond(486, { toTag: 'x' });
    jest.advanceTimersByTime(3600);
    expect(sent).toHaveLength(4);
    receive(`ACK sip:c@d SIP/2.0\r\n${head('ACK')}`);
    jest.advanceTimersByTime(60_000);
    expect([sent.length, transactions.open]).toEqual([4, 0]);
  });

  it('answer a repeated request with the answer it had, and ask nobody again', () => {
    const { sent, asked, receive } = scene();
    receive(`OPTIONS sip:c@d SIP/2.0\r\n${head('OPTIONS')}`);
    asked[0]?.respond(200, { toTag: 'x' });
    receive(`OPTIONS sip:c@d SIP/2.0\r\n${head('OPTIONS')}`);
    expect([sent.length, asked.length]).toEqual([2, 1]);
  });

  it('forget everything in the end', () => {
    const { asked, transactions, receive } = scene();
    receive(`INVITE sip:c@d SIP/2.0\r\n${head('INVITE')}`);
    receive(`CANCEL sip:c@d SIP/2.0\r\n${head('CANCEL')}`);
    expect(asked).toHaveLength(1);
    jest.advanceTimersByTime(120_000);
    expect(transactions.open).toBe(0);
  });
});

describe('session timers', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });
  const asked = (...lines: [string, string][]): SipHeaders => SipHeaders.of(lines);

  it.each([
    [
      'a caller that can refresh does',
      [
        ['Session-Expires', '600'],
        ['Supported', 'timer'],
      ],
      { seconds: 600, refresher: 'peer' },
      '600;refresher=uac',
    ],
    [
      'a caller that wants us to has us do it',
      [
        ['x', '600;refresher=uas'],
        ['k', 'timer'],
      ],
      { seconds: 600, refresher: 'us' },
      '600;refresher=uas',
    ],
    ['a caller that knows no timers is refreshed by us', [], { seconds: 1800, refresher: 'us' }, '1800;refresher=uas'],
  ] as [string, [string, string][], object, string | undefined][])('%s', (_name, lines, agreed, told) => {
    const interval = agreedByAsked(asked(...lines));
    expect(interval).toEqual(agreed);
    const headers = sessionHeaders(interval);
    expect(headers.find(([name]) => name === 'Session-Expires')?.[1]).toBe(told);
  });

  it('refresh at half of the interval, and end a call that the peer does not refresh', () => {
    const told: string[] = [];
    const timer = new SessionTimer({ refresh: () => told.push('refresh'), expired: () => told.push('expired') });
    timer.agree(agreedByAnswer(asked(['Session-Expires', '200;refresher=uac'])));
    jest.advanceTimersByTime(100_000);
    expect(told).toEqual(['refresh']);
    timer.agree(agreedByAnswer(asked(['Session-Expires', '200;refresher=uas'])));
    jest.advanceTimersByTime(160_000);
    expect(told).toEqual(['refresh']);
    jest.advanceTimersByTime(10_000);
    expect(told).toEqual(['refresh', 'expired']);
  });
});

describe('proof by digest', () => {
  const guard = new DigestGuard('parley', async (name) => (name === 'desk' ? 'correct' : undefined));
  const proofOf = (password: string, nowMs: number, { only, signed = 'sip:a@b' }: { only?: 'MD5'; signed?: string } = {}) => {
    const headers = SipHeaders.of();
    for (const value of guard.challenges(false, nowMs))
      if (!only || value.includes(`algorithm=${only}`)) headers.add('WWW-Authenticate', value);
    const challenge = challengeIn(headers, 'WWW-Authenticate');
    if (!challenge) throw new Error('no challenge');
    expect(challenge.algorithm).toBe(only ?? 'SHA-256');
    const answer = answerTo(challenge, { username: 'desk', password }, { method: 'INVITE', uri: signed, count: 1 });
    return { headers: SipHeaders.of([['Authorization', answer]]), method: 'INVITE', uri: 'sip:a@b' };
  };

  it.each([undefined, 'MD5'] as const)('accepts the right password (%s)', async (only) => {
    expect(await guard.judge(proofOf('correct', 0, only && { only }), 1000)).toEqual({ kind: 'accepted', username: 'desk' });
  });

  it('refuses a wrong one, one for another method, a repeated answer, and an old one', async () => {
    const refused = { kind: 'challenge', stale: false };
    expect(await guard.judge(proofOf('wrong', 0), 1000)).toEqual(refused);
    const proof = proofOf('correct', 0);
    expect(await guard.judge({ ...proof, method: 'BYE' }, 1000)).toEqual(refused);
    expect(await guard.judge(proof, 1000)).toMatchObject({ kind: 'accepted' });
    expect(await guard.judge(proof, 1000)).toEqual({ kind: 'challenge', stale: true });
    expect(await guard.judge(proofOf('correct', 0), 400_000)).toEqual({ kind: 'challenge', stale: true });
  });

  it.each([
    ['another user', 'sip:other@b', false],
    ['another user of another scheme', 'tel:+912025501234', false],
    ['the same user at another host', 'sip:a@sbc.example:5070;transport=tcp', true],
    ['a server alone', 'sip:b:5060', true],
  ])('judges a proof that was made for %s', async (_, signed, isTaken) => {
    const { kind } = await guard.judge(proofOf('correct', 0, { signed }), 1000);
    expect(kind).toBe(isTaken ? 'accepted' : 'challenge');
  });

  it('answers as RFC 2617 computes it', () => {
    const challenge = { realm: 'testrealm@host.com', nonce: 'dcd98b7102dd2f0e8b11d0f600bfb0c093', algorithm: 'MD5' as const };
    const answer = answerTo(
      challenge,
      { username: 'Mufasa', password: 'Circle Of Life' },
      { method: 'GET', uri: '/dir/index.html', count: 1 },
    );
    // Without a quality of protection, so that nothing in it is random.
    expect(answer).toContain('response="670fd8c2df070c60b045671b8b24ff02"');
  });
});

describe('requests within a call', () => {
  const invited = (contact: string, more = ''): Dialog => {
    const text = `INVITE sip:agent@us SIP/2.0\r\nContact: <${contact}>\r\n${more}${head('INVITE')}`;
    const parsed = parseMessage(Buffer.from(text));
    const dialog = parsed.kind === 'request' ? Dialog.ofCalled(parsed, 'ours', peer) : undefined;
    if (!dialog) throw new Error('no dialog');
    return dialog;
  };

  it.each([
    ['to the Contact', 'sip:a@198.51.100.4:5080', '', '198.51.100.4', 5080],
    ['back to where a private Contact was heard', 'sip:a@10.0.0.7:5080', '', peer.address, peer.port],
    [
      'to the first route',
      'sip:a@198.51.100.4',
      'Record-Route: <sip:203.0.113.1;lr>, <sip:203.0.113.2;lr>\r\n',
      '203.0.113.1',
      5060,
    ],
  ])('go %s', (_name, contact, routes, address, port) => {
    expect(invited(contact, routes).peer).toMatchObject({ address, port });
  });

  it('rise in number, and what is older than the last is not taken', () => {
    const dialog = invited('sip:a@198.51.100.4');
    const numbers = ['BYE', 'BYE'].map((method) => dialog.request(method).headers.get('CSeq'));
    expect(numbers).toEqual(['1 BYE', '2 BYE']);
    expect(dialog.accepts(outgoing('BYE'))).toBe(false);
  });
});
