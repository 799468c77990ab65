/** @waits sound takes as long as it lasts */
import { hasSipPeers, runSipp, freeSipPort } from '@parley/testing';
import type { SipEndpoint } from './index';
import { CallRecorder, openEndpoint } from './sip-pair.fake';

const real = hasSipPeers() ? describe : describe.skip;
const loopback = '127.0.0.1';

/** sipp calls without retransmitting what it need not, hangs up itself, and counts what it did not expect as failed. */
real('against sipp (needs Debian’s sip-tester)', () => {
  const open: SipEndpoint[] = [];
  const endpoint: typeof openEndpoint = async (options) => {
    const made = await openEndpoint(options);
    open.push(made);
    return made;
  };
  afterEach(async () => {
    await Promise.all(open.splice(0).map((made) => made.close()));
  });
  const at = (port: number) => `${loopback}:${port}`;

  it.each([
    ['UDP', 'u1'],
    ['TCP', 't1'],
  ])('takes fifty calls, twenty at a time, over %s', async (_name, transport) => {
    const callee = await endpoint();
    const args = ['-t', transport, '-m', '50', '-r', '40', '-l', '20', '-d', '300', '-s', 'agent', at(callee.address.port)];
    const run = await runSipp({ scenario: 'uac', args });
    expect(run).toMatchObject({ succeeded: 50, failed: 0 });
    expect(callee.callCount).toBe(0);
    expect(callee.counts.mediaPortsLeft).toBe(50);
  });

  it('takes calls whose packets are lost on the way, both ways', async () => {
    const callee = await endpoint();
    const args = ['-m', '20', '-r', '20', '-d', '100', '-lost', '15', '-s', 'agent', at(callee.address.port)];
    const run = await runSipp({ scenario: 'uac', args });
    expect(run).toMatchObject({ succeeded: 20, failed: 0 });
    expect(run.retransmissions).toBeGreaterThan(0);
  });

  it('calls twenty times at once, and hangs up', async () => {
    const caller = await endpoint();
    const port = await freeSipPort();
    let stop = (): void => {};
    const running = runSipp({ scenario: 'uas', args: ['-p', String(port)], started: (stopIt) => (stop = stopIt) });
    const recorderes = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const recorder = new CallRecorder();
        const to = { user: 'somebody', host: loopback, port, parameters: new Map<string, string>() };
        const call = await caller.place({ to, from: { user: 'agent' }, ringMs: 20_000, listener: recorder });
        if (typeof call === 'string') throw new Error(call);
        await recorder.saw('answered');
        call.hangUp();
        return recorder;
      }),
    );
    stop();
    const run = await running;
    expect(recorderes.map(({ end }) => end?.kind)).toEqual(Array(20).fill('hung-up-by-us'));
    expect(run).toMatchObject({ succeeded: 20, failed: 0 });
  });

  it('ends a call that is cancelled while it rings', async () => {
    const recorder = new CallRecorder();
    const callee = await endpoint({
      incoming: (call) => {
        call.listen(recorder);
        call.ring();
      },
    });
    const run = await runSipp({ scenario: { xml: cancelling }, args: ['-m', '1', '-s', 'agent', at(callee.address.port)] });
    expect(run).toMatchObject({ succeeded: 1, failed: 0 });
    expect(recorder.end?.kind).toBe('cancelled');
  });

  it('makes the offer where the caller makes none, and follows what is said within the call', async () => {
    const recorder = new CallRecorder();
    const codecs: unknown[] = [];
    const callee = await endpoint({
      incoming: (call) => {
        call.listen({ ...recorder, ended: (end) => (codecs.push(call.sound.codec), recorder.ended(end)) });
        call.answer();
      },
    });
    const run = await runSipp({ scenario: { xml: talkative }, args: ['-m', '1', '-s', 'agent', at(callee.address.port)] });
    expect(run).toMatchObject({ succeeded: 1, failed: 0 });
    await recorder.saw('ended');
    expect(codecs).toEqual(['PCMA']);
    expect(recorder.told).toEqual(['answered', 'digit 5', 'held', 'ended']);
  });

  it('asks for a password once, and takes the right one', async () => {
    const callee = await endpoint({ admission: { messagesPerSecond: 500 }, digest: ['MD5'], passwordOf: async () => 'correct' });
    const args = ['-m', '1', '-s', 'desk', '-au', 'desk', '-ap', 'correct', at(callee.address.port)];
    expect(await runSipp({ scenario: { xml: proving }, args })).toMatchObject({ succeeded: 1, failed: 0 });
    expect(callee.counts.unproven).toBe(1);
  });
});

const invite = (number: number, proof = '') => `
  <send retrans="500"><![CDATA[
    INVITE sip:[service]@[remote_ip]:[remote_port] SIP/2.0
    Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch]
    From: sipp <sip:sipp@[local_ip]:[local_port]>;tag=[pid]SIPpTag00[call_number]
    To: [service] <sip:[service]@[remote_ip]:[remote_port]>
    Call-ID: [call_id]
    CSeq: ${number} INVITE
    Contact: sip:sipp@[local_ip]:[local_port]
    Max-Forwards: 70${proof}
    Content-Type: application/sdp
    Content-Length: [len]

    v=0
    o=user1 53655765 2353687637 IN IP4 [local_ip]
    s=-
    c=IN IP4 [media_ip]
    t=0 0
    m=audio [media_port] RTP/AVP 0
    a=rtpmap:0 PCMU/8000
  ]]></send>`;

const inDialog = (method: string, number: number, branch = '[branch]') => `
  <send><![CDATA[
    ${method} sip:[service]@[remote_ip]:[remote_port] SIP/2.0
    Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=${branch}
    From: sipp <sip:sipp@[local_ip]:[local_port]>;tag=[pid]SIPpTag00[call_number]
    To: [service] <sip:[service]@[remote_ip]:[remote_port]>[peer_tag_param]
    Call-ID: [call_id]
    CSeq: ${number} ${method}
    Max-Forwards: 70
    Content-Length: 0

  ]]></send>`;

const sound = (direction: string) => `
    v=0
    o=user1 53655765 2353687637 IN IP4 [local_ip]
    s=-
    c=IN IP4 [media_ip]
    t=0 0
    m=audio [media_port] RTP/AVP 8
    a=${direction}`;

/** A request within the call, with headers and a body of its own. */
const said = (method: string, number: number, more: { headers?: string; body?: string; branch?: string }) => `
  <send><![CDATA[
    ${method} sip:[service]@[remote_ip]:[remote_port] SIP/2.0
    Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=${more.branch ?? '[branch]'}
    From: sipp <sip:sipp@[local_ip]:[local_port]>;tag=[pid]SIPpTag00[call_number]
    To: [service] <sip:[service]@[remote_ip]:[remote_port]>[peer_tag_param]
    Call-ID: [call_id]
    CSeq: ${number} ${method}
    Contact: sip:sipp@[local_ip]:[local_port]
    Max-Forwards: 70
    ${more.headers ?? 'X-None: 0'}
    Content-Length: [len]
${more.body ? `\n${more.body.replace(/^\n/, '')}\n` : '\n'}
  ]]></send>`;
const inSdp = 'Content-Type: application/sdp';

/** No offer, a digit by INFO, UPDATE, an interval that is too short, and a hold by re-INVITE. */
const talkative = `<?xml version="1.0" encoding="ISO-8859-1" ?>
<scenario name="talkative">${said('INVITE', 1, {})}
  <recv response="100" optional="true"/><recv response="200"/>
  ${said('ACK', 1, { headers: inSdp, body: sound('sendrecv') })}
  ${said('INFO', 2, { headers: 'Content-Type: application/dtmf-relay', body: '    Signal=5\n    Duration=160' })}<recv response="200"/>
  ${said('UPDATE', 3, { headers: 'Session-Expires: 600' })}<recv response="200"/>
  ${said('INVITE', 4, { headers: 'Session-Expires: 30' })}<recv response="422"/>
  ${said('ACK', 4, { branch: '[branch-2]' })}
  ${said('INVITE', 5, { headers: inSdp, body: sound('inactive') })}<recv response="200"/>${said('ACK', 5, {})}
  ${said('MESSAGE', 6, {})}<recv response="405"/>
  ${said('BYE', 7, {})}<recv response="200"/>
</scenario>`;

const cancelling = `<?xml version="1.0" encoding="ISO-8859-1" ?>
<scenario name="cancel">${invite(1)}
  <recv response="100" optional="true"/><recv response="180"/>
  <send retrans="500"><![CDATA[
    CANCEL sip:[service]@[remote_ip]:[remote_port] SIP/2.0
    Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch-3]
    From: sipp <sip:sipp@[local_ip]:[local_port]>;tag=[pid]SIPpTag00[call_number]
    To: [service] <sip:[service]@[remote_ip]:[remote_port]>
    Call-ID: [call_id]
    CSeq: 1 CANCEL
    Max-Forwards: 70
    Content-Length: 0

  ]]></send>
  <recv response="200"/><recv response="487"/>
  <send><![CDATA[
    ACK sip:[service]@[remote_ip]:[remote_port] SIP/2.0
    Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch-6]
    From: sipp <sip:sipp@[local_ip]:[local_port]>;tag=[pid]SIPpTag00[call_number]
    To: [service] <sip:[service]@[remote_ip]:[remote_port]>[peer_tag_param]
    Call-ID: [call_id]
    CSeq: 1 ACK
    Max-Forwards: 70
    Content-Length: 0

  ]]></send>
</scenario>`;

const proving = `<?xml version="1.0" encoding="ISO-8859-1" ?>
<scenario name="proof">${invite(1)}
  <recv response="100" optional="true"/><recv response="401" auth="true"/>
  ${inDialog('ACK', 1, '[branch-3]')}${invite(2, '\n    [authentication]')}
  <recv response="100" optional="true"/><recv response="180" optional="true"/><recv response="200"/>
  ${inDialog('ACK', 2)}${inDialog('BYE', 3)}<recv response="200"/>
</scenario>`;
