import type { AddressHandover } from '@parley/ports';
import { eventually } from '@parley/testing';
import { answering, callBetween, openEndpoint, RawPeer } from './sip-pair.fake';
import type { SipEndpoint } from './index';

/** Both ends of a line between two replicas. */
function handoverPair(): { holder: AddressHandover; taker: AddressHandover; cut: () => void } {
  const { promise: closed, resolve: cut } = Promise.withResolvers<void>();
  const listeners: ((frame: Uint8Array) => void)[] = [];
  const end = (own: number, other: number): AddressHandover => ({
    send: (frame) => setImmediate(() => listeners[other]?.(Uint8Array.from(frame))),
    hear: (listener) => (listeners[own] = listener),
    closed,
  });
  return { holder: end(0, 1), taker: end(1, 0), cut };
}

describe('a port that is handed on', () => {
  let endpoints: SipEndpoint[];
  beforeEach(() => (endpoints = []));
  afterEach(async () => {
    for (const endpoint of endpoints) await endpoint.close();
  });
  const opened = async (...options: Parameters<typeof openEndpoint>): Promise<SipEndpoint> => {
    const endpoint = await openEndpoint(...options);
    endpoints.push(endpoint);
    return endpoint;
  };

  it('keeps its calls, passes new ones to the replica that takes it, and goes over to it after the last call', async () => {
    const [before, after] = [answering(), answering()];
    const [caller, leaving] = [await opened(), await opened({ incoming: before.incoming })];
    const { port } = leaving.address;
    const old = await callBetween(caller, port);
    await old.recorder.saw('answered');

    const found = Promise.withResolvers<AddressHandover | undefined>();
    leaving.drain();
    void leaving.handOn(found.promise);
    // Nobody has taken the port yet: this one waits.
    const fresh = await callBetween(caller, port);
    const { holder, taker, cut } = handoverPair();
    const taking = await opened({ port, handover: taker, incoming: after.incoming });
    found.resolve(holder);
    await fresh.recorder.saw('answered');
    const { recorder: heardThere } = await after.first;
    await heardThere.saw('sound');
    expect([leaving.callCount, taking.callCount, taking.address.port]).toEqual([1, 1, port]);

    // Within calls, both ways and at both replicas.
    expect(await old.call.established?.hold(true)).toBe(true);
    await (await before.first).recorder.saw('held');
    expect(await (await after.first).call.established?.hold(true)).toBe(true);
    await fresh.recorder.saw('held');
    old.call.hangUp();
    await (await before.first).recorder.saw('ended');
    expect((await before.first).recorder.end).toMatchObject({ kind: 'hung-up-by-peer' });

    await leaving.close();
    cut();
    await taking.takeOver();
    const last = await callBetween(caller, port);
    await last.recorder.saw('answered');
    fresh.call.hangUp();
    await heardThere.saw('ended');
    expect(heardThere.end).toMatchObject({ kind: 'hung-up-by-peer' });
    expect(taking.callCount).toBe(1);
  });

  it('lets the replica that takes it place calls, and passes on answers from peers that its owner has never written to', async () => {
    const leaving = await opened();
    const { port } = leaving.address;
    const { holder, taker } = handoverPair();
    leaving.drain();
    void leaving.handOn(Promise.resolve(holder));
    const taking = await opened({ port, handover: taker });
    const taken = answering();
    const phone = await opened({ incoming: taken.incoming });
    const placed = await callBetween(taking, phone.address.port);
    await placed.recorder.saw('answered');
    (await taken.first).call.hangUp();
    await placed.recorder.saw('ended');
    expect(placed.recorder.end).toMatchObject({ kind: 'hung-up-by-peer' });
  });

  it('refuses nothing that may belong to a call of a third replica, and everything if no replica takes it', async () => {
    const leaving = await opened();
    const { port } = leaving.address;
    const { holder, taker, cut } = handoverPair();
    leaving.drain();
    void leaving.handOn(Promise.resolve(holder));
    await opened({ port, handover: taker });
    const peer = await RawPeer.open();
    const say = (method: string, to = '<sip:agent@127.0.0.1>'): void => {
      const via = `Via: SIP/2.0/UDP 127.0.0.1:${peer.port};rport;branch=z9hG4bK${method}${peer.received.length}`;
      const rest = ['Call-ID: c', `CSeq: 1 ${method}`, 'Content-Length: 0', '', ''];
      peer.send([`${method} sip:agent@127.0.0.1 SIP/2.0`, via, 'From: <sip:a@b>;tag=1', `To: ${to}`, ...rest].join('\r\n'), port);
    };
    say('BYE', '<sip:agent@127.0.0.1>;tag=unknown');
    say('OPTIONS');
    await peer.answer(/^SIP\/2\.0 200/);
    expect(peer.received).toHaveLength(1);
    cut();
    await eventually('it is handed on to nobody', () => !leaving.isHandedOn);
    say('BYE', '<sip:agent@127.0.0.1>;tag=unknown');
    await peer.answer(/^SIP\/2\.0 481/);
    say('INVITE');
    expect(await peer.answer(/^SIP\/2\.0 503/)).toContain('Retry-After');
    peer.close();
  });
});
