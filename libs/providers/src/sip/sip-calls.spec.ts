import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { SipEndpoint } from '@parley/sip';
import { freeSipPort } from '@parley/testing';
import { FakePbx, loopback } from './phone.fake';
import { causeOf, refusesCaller } from './sip-calls';
import { SipCredentials } from './sip-control';

describe('a refusal by a trunk', () => {
  it.each([
    [403, 'Caller ID not allowed', true],
    [403, 'Invalid CLI', true],
    [488, 'From number not registered', true],
    [603, 'Calling party unverified', true],
    [433, 'Anonymity Disallowed', true],
    [438, 'Invalid Identity Header', true],
    [403, 'Forbidden', false],
    [488, 'Not Acceptable Here', false],
    [603, 'Decline', false],
    [486, 'Caller ID not allowed', false],
    [undefined, 'nobody answered the request', false],
  ])('%s %s is about the caller: %s', (status, words, isAboutCaller) => {
    expect(refusesCaller({ words, ...(status !== undefined && { status }) })).toBe(isAboutCaller);
  });

  it.each([
    [403, ['Calling number not verified: caller id'], true],
    [488, ['Invalid From header'], true],
    [603, ['STIR: '], true],
    [403, ['Q.850: call barred', 'From number unknown here'], true],
    [603, ['Q.850: call rejected'], false],
    [603, ['SIP: Network Blocked'], false],
    [488, ['Incompatible media format'], false],
    [486, ['STIR: '], false],
  ])('%s with %j is about the caller: %s', (status, remarks, isAboutCaller) => {
    expect(refusesCaller({ status, words: 'Forbidden', remarks })).toBe(isAboutCaller);
  });
});

describe('the cause of an end', () => {
  it.each([
    ['refused', 'Not Found', 'The carrier could not hold the call: Not Found.'],
    ['unreachable', 'nobody answered the request', 'The carrier could not hold the call: nobody answered the request.'],
    ['lost', 'the peer did not refresh the call', 'The call broke off: the peer did not refresh the call.'],
    ['busy', 'Temporarily Busy', 'The line was busy.'],
    ['declined', 'Decline', 'The call was declined.'],
    ['cancelled', 'Request Terminated', undefined],
    ['hung-up-by-us', 'we hung up', undefined],
  ] as const)('is a sentence, as of every other carrier, where it is %s with the words %s', (kind, words, cause) => {
    expect(causeOf({ kind, words })).toBe(cause);
  });
});

describe('a listener', () => {
  it('releases its port if its registration cannot begin, so that the next attempt has it', async () => {
    const port = await freeSipPort();
    const account = { registers: true, trunk: `sip:${loopback}:9`, username: 'shop', password: 'open sesame' };
    const begins = jest.spyOn(SipEndpoint.prototype, 'register').mockImplementationOnce(() => {
      throw new Error('no memory');
    });
    const pbx = FakePbx.at(account);
    await expect(pbx.listen(port)).rejects.toThrow('no memory');
    const listening = await pbx.listen(port);
    expect([listening.port, begins.mock.calls.length]).toEqual([port, 2]);
    await listening.close();
  });

  it.each([
    ['30000', '20000'],
    ['25010', '25010'],
    ['25011', '25012'],
  ])('has a pair of ports for sound, which %s to %s are not', (mediaPortFrom, mediaPortTo) => {
    const fields = SipCredentials.safeParse({ mediaPortFrom, mediaPortTo }).error?.issues.map(({ path }) => path.join('.'));
    expect(fields).toEqual(['mediaPortFrom', 'mediaPortTo']);
    expect(SipCredentials.safeParse({ mediaPortFrom: '25011', mediaPortTo: '25013' }).success).toBe(true);
  });
});

describe('a caller without an offer', () => {
  const description = 'v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio 40000 RTP/AVP 8\r\n';

  it('is heard once the ACK has the answer, and reported as broken off if a later ACK has none', async () => {
    const pbx = await FakePbx.open();
    const socket = createSocket('udp4').bind(0, loopback);
    await once(socket, 'listening');
    const here = `${loopback}:${socket.address().port}`;
    let to = 'To: <sip:agent@127.0.0.1>';
    const say = (method: string, number: number, body: string): void => {
      const head = [
        `${method} sip:agent@${loopback} SIP/2.0`,
        `Via: SIP/2.0/UDP ${here};branch=z9hG4bK${method}${number};rport`,
        ...['From: <sip:a@127.0.0.1>;tag=1', to, 'Call-ID: offerless', `CSeq: ${number} ${method}`],
        ...[`Contact: <sip:a@${here}>`, 'Content-Type: application/sdp', '', body],
      ];
      socket.send(head.join('\r\n'), pbx.listening.port, loopback);
    };
    const accepted = async (number: number): Promise<void> => {
      const accepts = new RegExp(`^SIP/2\\.0 200 [^]*CSeq: ${number} INVITE`);
      await new Promise<void>((resolve) =>
        socket.on('message', (bytes) => {
          to = /^To: .*$/m.exec(bytes.toString())?.[0] ?? to;
          if (accepts.test(bytes.toString())) resolve();
        }),
      );
    };
    say('INVITE', 1, '');
    await accepted(1);
    say('ACK', 1, description);
    const agent = await pbx.first();
    expect(agent.line.format).toEqual({ encoding: 'alaw', sampleRate: 8000 });
    say('INVITE', 2, '');
    await accepted(2);
    say('ACK', 2, '');
    const words = 'the peer answered our offer with no sound that we share';
    expect(await agent.ended()).toMatchObject({ reason: 'lost', brokenOff: words });
    socket.close();
    await pbx.listening.close();
    await pbx.carrier.close();
  });
});
