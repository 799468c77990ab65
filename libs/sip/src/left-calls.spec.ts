/** @waits calls are left to expire */
import { LeftCall, type OutboundCall, type SipEndpoint } from './index';
import { answering, callBetween, CallRecorder, openEndpoint, RawPeer } from './sip-pair.fake';

const host = '127.0.0.1';

/** As it is read back from storage. */
const written = (left: LeftCall): LeftCall => LeftCall.parse(JSON.parse(JSON.stringify(left)));

describe('calls that a process left when it died', () => {
  const open: SipEndpoint[] = [];
  const endpoint: typeof openEndpoint = async (options) => {
    const made = await openEndpoint(options);
    open.push(made);
    return made;
  };
  afterEach(async () => {
    await Promise.all(open.splice(0).map((made) => made.close()));
  });
  const phone = (port: number, transport?: string) => ({
    user: 'phone',
    host,
    port,
    parameters: new Map(transport ? [['transport', transport]] : []),
  });
  async function place(caller: SipEndpoint, to: ReturnType<typeof phone>, recorder = new CallRecorder()): Promise<OutboundCall> {
    const call = await caller.place({ to, from: { user: 'agent' }, ringMs: 60_000, listener: recorder });
    if (typeof call === 'string') throw new Error(call);
    return call;
  }

  it.each(['udp', 'tcp'])('are ended with BYE where we were called, over %s', async (transport) => {
    const taker = answering();
    const [caller, dead, next] = [await endpoint(), await endpoint({ incoming: taker.incoming }), await endpoint()];
    const recorder = new CallRecorder();
    await place(caller, phone(dead.address.port, transport), recorder);
    await recorder.saw('answered');
    const { call } = await taker.first;
    expect(next.endLeft(written(call.left))).toBe(true);
    await recorder.saw('ended');
    expect(recorder.end?.kind).toBe('hung-up-by-peer');
  });

  it.each(['udp', 'tcp'])('are ended with BYE where we had called, over %s', async (transport) => {
    const taker = answering();
    const [dead, callee, next] = [await endpoint(), await endpoint({ incoming: taker.incoming }), await endpoint()];
    const placed = new CallRecorder();
    const call = await place(dead, phone(callee.address.port, transport), placed);
    await placed.saw('answered');
    const { recorder } = await taker.first;
    next.endLeft(written(call.left));
    await recorder.saw('ended');
    expect(recorder.end?.kind).toBe('hung-up-by-peer');
  });

  it('are cancelled with the CANCEL of their INVITE while they ring', async () => {
    const recorder = new CallRecorder();
    const callee = await endpoint({
      incoming: (call) => {
        call.listen(recorder);
        call.ring();
      },
    });
    const [dead, next] = [await endpoint(), await endpoint()];
    const placed = new CallRecorder();
    const call = await place(dead, phone(callee.address.port), placed);
    await placed.saw('ringing');
    next.endLeft(written(call.left));
    await recorder.saw('ended');
    expect(recorder.end).toMatchObject({ kind: 'cancelled', status: 487 });
  });

  it('are acknowledged and ended where the answer crosses the CANCEL', async () => {
    const peer = await RawPeer.open();
    const [dead, next] = [await endpoint(), await endpoint()];
    const placed = new CallRecorder();
    const call = await place(dead, phone(peer.port), placed);
    const invite = await peer.answer(/^INVITE/);
    const answer = (status: string): string =>
      [
        `SIP/2.0 ${status}`,
        ...invite.split('\r\n').filter((line) => /^(Via|From|Call-ID|CSeq):/.test(line)),
        `${/^To:.*/m.exec(invite)?.[0].trim()};tag=peer`,
        `Contact: <sip:phone@${host}:${peer.port}>`,
        'Content-Length: 0\r\n\r\n',
      ].join('\r\n');
    peer.send(answer('180 Ringing'), dead.address.port);
    await placed.saw('ringing');
    next.endLeft(written(call.left));
    const cancel = await peer.answer(/^CANCEL/);
    expect(/^Via:.*/m.exec(cancel)?.[0]).toBe(/^Via:.*/m.exec(invite)?.[0]);
    // The new process has the port of the old one; here it has another.
    peer.send(answer('200 OK'), next.address.port);
    await peer.answer(/^ACK/);
    const bye = await peer.answer(/^BYE/);
    expect(bye).toContain(';tag=peer');
    expect(Number(/^CSeq: (\d+) BYE/m.exec(bye)?.[1])).toBeGreaterThan(1);
    peer.close();
  });

  it('are refused where the caller still waits for an answer', async () => {
    const { promise: came, resolve: arrive } = Promise.withResolvers<LeftCall>();
    const dead = await endpoint({
      incoming: (call) => {
        call.ring();
        arrive(call.left);
      },
    });
    const [caller, next] = [await endpoint(), await endpoint()];
    const { recorder } = await callBetween(caller, dead.address.port);
    await recorder.saw('ringing');
    next.endLeft(written(await came));
    await recorder.saw('ended');
    expect(recorder.end).toMatchObject({ kind: 'refused', status: 500 });
  });

  it('are ended with BYE if they were answered after the last note of them', async () => {
    const { promise: came, resolve: arrive } = Promise.withResolvers<LeftCall>();
    const dead = await endpoint({
      incoming: (call) => {
        arrive(call.left);
        call.answer();
      },
    });
    const [caller, next] = [await endpoint(), await endpoint()];
    const { recorder } = await callBetween(caller, dead.address.port);
    await recorder.saw('answered');
    next.endLeft(written(await came));
    await recorder.saw('ended');
    expect(recorder.end?.kind).toBe('hung-up-by-peer');
  });

  it('carry no credentials', async () => {
    const dead = await endpoint();
    const peer = await RawPeer.open();
    const call = await dead.place({
      to: phone(peer.port),
      from: { user: 'agent' },
      credentials: { username: 'shop', password: 'open sesame' },
      ringMs: 60_000,
      listener: {},
    });
    if (typeof call === 'string') throw new Error(call);
    const invite = await peer.answer(/^INVITE/);
    const kept = invite.split('\r\n').filter((line) => /^(Via|From|Call-ID|CSeq|To):/.test(line));
    const challenge = 'WWW-Authenticate: Digest realm="r", nonce="n", algorithm=MD5, qop="auth"';
    peer.send(['SIP/2.0 401 No', ...kept, challenge, 'Content-Length: 0\r\n\r\n'].join('\r\n'), dead.address.port);
    await peer.answer(/^Authorization:/m);
    const left = JSON.stringify(call.left);
    expect(left).toContain('CSeq: 2 INVITE');
    expect(left).not.toMatch(/authorization|digest/i);
    peer.close();
  });

  it('are left alone if their peer may not be reached, or their note cannot be read', async () => {
    const taker = answering();
    const [caller, dead, next] = [
      await endpoint(),
      await endpoint({ incoming: taker.incoming }),
      await endpoint({ reaches: () => false }),
    ];
    const { recorder } = await callBetween(caller, dead.address.port);
    await recorder.saw('answered');
    const { call } = await taker.first;
    next.endLeft(written(call.left));
    expect(next.counts.transactions).toBe(0);
    const peer = { protocol: 'udp' as const, address: host, port: 9 };
    expect(next.endLeft({ kind: 'calling', invite: 'garbage', peer })).toBe(false);
  });
});
