import { muLaw } from '@parley/audio';
import { freeSipPort } from '@parley/testing';
import { type EndpointOptions, SipEndpoint } from './index';
import { answering, callBetween, CallRecorder, openEndpoint, RawPeer } from './sip-pair.fake';

describe('two endpoints', () => {
  const open: SipEndpoint[] = [];
  const endpoint: typeof openEndpoint = async (options) => {
    const made = await openEndpoint(options);
    open.push(made);
    return made;
  };
  afterEach(async () => {
    await Promise.all(open.splice(0).map((made) => made.close()));
  });

  it('release their sockets whatever fails while they are opened', async () => {
    const host = '127.0.0.1';
    const port = await freeSipPort();
    const options: EndpointOptions = { host, port, media: { host, from: 30_000, to: 30_010 }, incoming: () => undefined };
    const failures: string[] = [];
    // Each reading of an option fails once, so that every step that needs one does; the next attempt needs the same port.
    for (let failing = 1; open.length === 0 && failures.every((message) => message.endsWith(' fails')); failing += 1) {
      let readings = 0;
      const faulty = new Proxy(options, {
        get: (from, name) => {
          readings += 1;
          if (readings === failing) throw new Error(`${String(name)} fails`);
          return Reflect.get(from, name);
        },
      });
      await SipEndpoint.open(faulty).then(
        (made) => open.push(made),
        (error: unknown) => failures.push(String(error)),
      );
    }
    expect(failures.filter((message) => !message.endsWith(' fails'))).toEqual([]);
    expect(failures.lastIndexOf('Error: media fails')).toBeGreaterThan(failures.indexOf('Error: port fails'));
  });

  it('refuse a range of media ports without a pair, and release their sockets', async () => {
    const [host, port] = ['127.0.0.1', await freeSipPort()];
    for (const [from, to] of [
      [30_000, 20_000],
      [25_010, 25_010],
      [25_011, 25_012],
    ] as const)
      await expect(endpoint({ port, media: { host, from, to } })).rejects.toThrow('no pair of ports');
    expect((await endpoint({ port, media: { host, from: 25_011, to: 25_013 } })).counts.mediaPortsLeft).toBe(1);
  });

  it('call one another, hear one another, and hang up', async () => {
    const taker = answering();
    const [caller, callee] = [await endpoint(), await endpoint({ incoming: taker.incoming })];
    const { call, recorder } = await callBetween(caller, callee.address.port);
    const { call: taken, recorder: other } = await taker.first;
    await recorder.saw('answered');
    expect(taken.to).toBe('agent');
    expect(taken.from).toBe('caller');
    const tone = muLaw.encode(Int16Array.from({ length: 1600 }, (_, i) => Math.round(9000 * Math.sin(i / 3))));
    call.sound.send(tone);
    call.sound.mark('said');
    taken.sound.press('4#');
    await Promise.all([recorder.saw('played said'), recorder.saw('digit #'), other.saw('sound')]);
    expect(recorder.digits).toEqual(['4', '#']);
    const heard = Buffer.concat(other.heard.map(({ payload }) => payload));
    expect(heard.includes(Buffer.from(tone))).toBe(true);
    call.hangUp();
    await other.saw('ended');
    expect(recorder.end).toMatchObject({ kind: 'hung-up-by-us' });
    expect(other.end).toMatchObject({ kind: 'hung-up-by-peer' });
  });

  it('drop what was not yet heard, and say which marks that were', async () => {
    const taker = answering();
    const [caller, callee] = [await endpoint(), await endpoint({ incoming: taker.incoming })];
    await callBetween(caller, callee.address.port);
    const { call, recorder } = await taker.first;
    call.sound.send(new Uint8Array(80_000));
    call.sound.mark('unheard');
    call.sound.clear();
    await recorder.saw('cleared unheard');
    expect(call.sound.queuedMs).toBe(0);
  });

  it('take one call once, whichever ways its INVITE came', async () => {
    const taken: string[] = [];
    const callee = await endpoint({
      incoming: (call) => {
        taken.push(call.callId);
        call.ring();
      },
    });
    const peer = await RawPeer.open();
    const invite = (branch: string, number = 1): string =>
      [
        `INVITE sip:agent@127.0.0.1 SIP/2.0`,
        `Via: SIP/2.0/UDP 127.0.0.1:${peer.port};branch=z9hG4bK${branch};rport`,
        ...['From: <sip:a@127.0.0.1>;tag=1', 'To: <sip:agent@127.0.0.1>', 'Call-ID: merged', `CSeq: ${number} INVITE`],
        ...[`Contact: <sip:a@127.0.0.1:${peer.port}>`, 'Content-Length: 0', '', ''],
      ].join('\r\n');
    peer.send(invite('one'), callee.address.port);
    await peer.answer(/^SIP\/2.0 180/);
    peer.send(invite('two'), callee.address.port);
    expect(await peer.answer(/^SIP\/2.0 482/)).toContain('branch=z9hG4bKtwo');
    expect(taken).toEqual(['merged']);
    peer.close();
  });

  it('hold and resume', async () => {
    const taker = answering();
    const [caller, callee] = [await endpoint(), await endpoint({ incoming: taker.incoming })];
    const { call, recorder } = await callBetween(caller, callee.address.port);
    const { recorder: other } = await taker.first;
    await recorder.saw('answered');
    expect(await call.established?.hold(true)).toBe(true);
    await other.saw('held');
    expect(await call.established?.hold(false)).toBe(true);
    await other.saw('resumed');
  });

  it('switch to the other codec when the peer does, and keep it as long as it is offered', async () => {
    const callee = await endpoint();
    const phone = await RawPeer.open();
    const description = (types: string): string =>
      `v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio 40000 RTP/AVP ${types}\r\n`;
    const said = (method: string, number: number, more: string, body = ''): string =>
      `${method} sip:agent@127.0.0.1 SIP/2.0\r\nVia: SIP/2.0/UDP 127.0.0.1:${phone.port};branch=z9hG4bK${method}${number};rport\r\n` +
      `From: <sip:a@127.0.0.1>;tag=1\r\nCall-ID: changes\r\nCSeq: ${number} ${method}\r\n` +
      `Contact: <sip:a@127.0.0.1:${phone.port}>\r\n${more}Content-Type: application/sdp\r\n\r\n${body}`;
    const answers: unknown[] = [];
    let to = 'To: <sip:agent@127.0.0.1>\r\n';
    for (const [at, types] of ['0 8', '8', '0 8', '0', '3'].entries()) {
      const number = at + 1;
      phone.send(said('INVITE', number, to, description(types)), callee.address.port);
      const answer = await phone.answer(new RegExp(`^SIP/2\\.0 [2-6][^]*CSeq: ${number} INVITE`));
      to = `${/^To: .*\r\n/m.exec(answer)?.[0]}`;
      phone.send(said('ACK', number, to), callee.address.port);
      answers.push([answer.slice(8, 11), /m=audio \d+ RTP\/AVP (.*)/.exec(answer)?.[1]]);
    }
    phone.close();
    expect(answers).toEqual([
      ['200', '0'],
      ['200', '8'],
      ['200', '8'],
      ['200', '0'],
      ['488', undefined],
    ]);
  });

  it('cancel a call before it is answered', async () => {
    const seen = new CallRecorder();
    const incoming: Parameters<typeof openEndpoint>[0] = {
      incoming: (call) => {
        call.listen(seen);
        call.ring();
      },
    };
    const [caller, callee] = [await endpoint(), await endpoint(incoming)];
    const { call, recorder } = await callBetween(caller, callee.address.port);
    await recorder.saw('ringing');
    call.hangUp();
    await seen.saw('ended');
    expect(seen.end?.kind).toBe('cancelled');
    expect(recorder.end?.kind).toBe('cancelled');
  });

  it.each([
    [486, 'busy'],
    [480, 'no-answer'],
    [404, 'refused'],
  ])('tell a refusal with %d as %s', async (status, kind) => {
    const [caller, callee] = [await endpoint(), await endpoint({ incoming: (call) => call.refuse(status) })];
    const { recorder } = await callBetween(caller, callee.address.port);
    await recorder.saw('ended');
    expect(recorder.end).toMatchObject({ kind, status });
  });

  it('report what a refusal says in Warning and Reason', async () => {
    const [caller, trunk] = [await endpoint(), await RawPeer.open()];
    const { recorder } = await callBetween(caller, trunk.port);
    const invite = await trunk.answer(/^INVITE /);
    const copied = invite.split('\r\n').filter((line) => /^(Via|From|To|Call-ID|CSeq):/i.test(line));
    const said = [
      'Warning: 399 trunk.example "Caller ID \\"+91202550\\" not allowed"',
      'Reason: Q.850;cause=21;text="call rejected"',
      'Reason: STIR;cause=438',
    ];
    trunk.send(['SIP/2.0 403 Forbidden', ...copied, ...said, 'Content-Length: 0', '', ''].join('\r\n'), caller.address.port);
    await recorder.saw('ended');
    expect(recorder.end).toMatchObject({
      ...{ kind: 'refused', status: 403, words: 'Forbidden' },
      remarks: ['Caller ID "+91202550" not allowed', 'Q.850: call rejected', 'STIR: '],
    });
    trunk.close();
  });

  it('refuse more calls than they have room for', async () => {
    const taker = answering();
    const [caller, callee] = [await endpoint(), await endpoint({ incoming: taker.incoming, callsMax: 1 })];
    await callBetween(caller, callee.address.port);
    await taker.first;
    const second = await callBetween(caller, callee.address.port);
    await second.recorder.saw('ended');
    expect(second.recorder.end).toMatchObject({ kind: 'refused', status: 503 });
  });

  it('refuse peers that are not trusted where no password is asked', async () => {
    const seen: unknown[] = [];
    const callee = await endpoint({ admission: {}, incoming: (call) => void seen.push(call) });
    const { recorder } = await callBetween(await endpoint(), callee.address.port);
    await recorder.saw('ended');
    expect(recorder.end).toMatchObject({ kind: 'refused', status: 403 });
    expect([seen, callee.counts.unproven]).toEqual([[], 1]);
  });

  it('answer a stranger once, and keep nothing about them', async () => {
    const callee = await endpoint({ admission: {}, passwordOf: async () => undefined });
    const peer = await RawPeer.open();
    const invite = `INVITE sip:agent@127.0.0.1 SIP/2.0\r\nv: SIP/2.0/UDP 127.0.0.1:${peer.port};branch=z9hG4bKs;rport\r\nf: <sip:a@b>;tag=1\r\nt: <sip:c@d>\r\ni: s\r\nCSeq: 1 INVITE\r\n\r\n`;
    peer.send(invite, callee.address.port);
    await peer.answer(/^SIP\/2\.0 401/);
    expect(peer.received).toHaveLength(1);
    expect(callee.counts).toMatchObject({ transactions: 0, mediaPortsLeft: 50 });
    peer.close();
  });

  it('prove themselves where a password is asked, and are refused without', async () => {
    const taker = answering();
    const refused: unknown[] = [];
    const callee = await endpoint({
      incoming: taker.incoming,
      admission: {},
      refused: (refusal) => void refused.push(refusal),
      passwordOf: async (name) => (name === 'desk' ? 'correct' : undefined),
    });
    const caller = await endpoint();
    const to = { user: 'agent', host: '127.0.0.1', port: callee.address.port, parameters: new Map<string, string>() };
    const outcome = async (password: string): Promise<CallRecorder> => {
      const recorder = new CallRecorder();
      const credentials = { username: 'desk', password };
      await caller.place({ to, from: { user: 'desk' }, credentials, ringMs: 10_000, listener: recorder });
      await Promise.race([recorder.saw('answered'), recorder.saw('ended')]);
      return recorder;
    };
    expect((await outcome('wrong')).end).toMatchObject({ status: 401 });
    // Everybody is challenged first; only who has no proof then is told of.
    expect(refused).toEqual([{ status: 401, address: '127.0.0.1', why: 'its name or password is wrong' }]);
    expect((await outcome('correct')).told).toContain('answered');
    expect((await taker.first).call.account).toBe('desk');
  });

  it('refuse what belongs to a call outside of one, and what they cannot do, and tell why a call was refused', async () => {
    const refused: unknown[] = [];
    const callee = await endpoint({ refused: (refusal) => void refused.push(refusal) });
    const peer = await RawPeer.open();
    const ask = async (method: string, more = '', body = ''): Promise<string> => {
      const id = `${method}${more.length}${body.length}`;
      peer.send(
        `${method} sip:agent@127.0.0.1 SIP/2.0\r\nv: SIP/2.0/UDP 127.0.0.1:${peer.port};branch=z9hG4bK${id};rport\r\nf: <sip:a@b>;tag=1\r\n` +
          `t: <sip:c@d>\r\ni: ${id}\r\nCSeq: 1 ${method}\r\nm: <sip:a@127.0.0.1:${peer.port}>\r\n${more}l: ${body.length}\r\n\r\n${body}`,
        callee.address.port,
      );
      return peer.answer(new RegExp(`^SIP/2\\.0 [2-6][^]*Call-ID: ${id}\\r`));
    };
    expect(await ask('INFO')).toMatch(/^SIP\/2\.0 481/);
    expect(await ask('UPDATE')).toMatch(/^SIP\/2\.0 481/);
    const other = await ask('SUBSCRIBE');
    expect(other).toMatch(/^SIP\/2\.0 405/);
    expect(other).toMatch(/Allow: /);
    expect(await ask('OPTIONS', 'Require: foo\r\n')).toMatch(/^SIP\/2\.0 420[^]*Unsupported: foo/);
    const opus =
      'v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio 4000 RTP/AVP 111\r\na=rtpmap:111 opus/48000/2\r\n';
    expect(await ask('INVITE', 'Content-Type: application/sdp\r\n', opus)).toContain('SIP/2.0 488');
    expect(refused).toEqual([{ status: 488, address: '127.0.0.1', why: 'it offers no sound that we share' }]);
    peer.close();
  });

  it('answer OPTIONS, and scanners with nothing', async () => {
    const callee = await endpoint();
    const peer = await RawPeer.open();
    const options = (agent: string): string =>
      `OPTIONS sip:${agent}@127.0.0.1 SIP/2.0\r\nv: SIP/2.0/UDP 127.0.0.1:${peer.port};branch=z9hG4bK${agent};rport\r\nf: <sip:a@b>;tag=1\r\nt: <sip:c@d>\r\ni: ${agent}\r\nCSeq: 1 OPTIONS\r\nUser-Agent: ${agent}\r\n\r\n`;
    peer.send(options('friendly-scanner'), callee.address.port);
    peer.send(options('phone'), callee.address.port);
    const answer = await peer.answer(/^SIP/);
    expect(answer).toMatch(/^SIP\/2\.0 200 OK/);
    expect(answer).toContain(`rport=${peer.port}`);
    expect(answer).toContain('Allow: INVITE');
    expect(peer.received.filter((text) => text.includes('friendly'))).toEqual([]);
    expect(callee.counts.scanners).toBe(1);
    peer.close();
  });
});
