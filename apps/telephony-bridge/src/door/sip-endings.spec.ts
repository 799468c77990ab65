/** @waits calls are silent until they are ended */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import {
  type CallRecord,
  endCall,
  getCall,
  listCalls,
  placeCall,
  saveCarrierAccount,
  saveNumber,
  transferCall,
} from '@parley/contracts';
import { sip } from '@parley/providers/sip';
import { eventually, freeSipPort } from '@parley/testing';
import { BridgeHarness, type Member } from '../testing/bridge-harness.suite';

const host = '127.0.0.1';
const description = 'v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio 40000 RTP/AVP 0\r\n';

function typeOf(method: string, body: string): string[] {
  if (body === '') return [];
  return [`Content-Type: ${method === 'NOTIFY' ? 'message/sipfrag' : 'application/sdp'}`];
}

/** A phone that sends each message when the test says so. */
class PlainPhone {
  readonly heard: string[] = [];
  private to = `<sip:agent@${host}>`;

  private constructor(
    private readonly socket: Socket,
    private readonly port: number,
    private readonly callId: string,
  ) {
    socket.on('message', (bytes) => {
      const text = bytes.toString();
      this.heard.push(text);
      if (text.startsWith('SIP/2.0')) this.to = /^To: (.*)$/m.exec(text)?.[1] ?? this.to;
    });
  }

  static async open(port: number, callId: string): Promise<PlainPhone> {
    const socket = createSocket('udp4').bind(0, host);
    await once(socket, 'listening');
    return new PlainPhone(socket, port, callId);
  }

  get address(): string {
    return `${host}:${this.socket.address().port}`;
  }

  /** INVITE, CANCEL and the ACK of a refusal share a transaction; everything else has its own. */
  say(
    method: string,
    number: number,
    { body = '', branch = method, headers = [] }: { body?: string; branch?: string; headers?: readonly string[] } = {},
  ): void {
    const isFirst = method === 'CANCEL' || (method === 'INVITE' && number === 1);
    const to = isFirst ? `<sip:agent@${host}>` : this.to;
    const lines = [
      `${method} sip:agent@${host} SIP/2.0`,
      `Via: SIP/2.0/UDP ${this.address};branch=z9hG4bK${this.callId}${branch};rport`,
      ...[`From: <sip:+919820012345@${host}>;tag=1`, `To: ${to}`, `Call-ID: ${this.callId}`, `CSeq: ${number} ${method}`],
      ...[`Contact: <sip:caller@${this.address}>`, ...typeOf(method, body), ...headers, '', body],
    ];
    this.socket.send(lines.join('\r\n'), this.port, host);
  }

  cancel(): void {
    this.say('CANCEL', 1, { branch: 'INVITE' });
  }

  /** A response to a request, sent by the called phone. */
  answer(request: string, status: string): void {
    const kept = request.split('\r\n').filter((line) => /^(Via|From|Call-ID|CSeq):/.test(line));
    const known = /^To:.*/m.exec(request)?.[0].trim() ?? '';
    const to = known.includes(';tag=') ? known : `${known};tag=phone`;
    const lines = [`SIP/2.0 ${status}`, ...kept, to, `Contact: <sip:phone@${this.address}>`, 'Content-Length: 0', '', ''];
    this.socket.send(lines.join('\r\n'), Number(/^Via:[^;]*:(\d+);/m.exec(request)?.[1]), host);
  }

  /** The response to one of our requests, by number and method. */
  async answered(status: number, cseq: string): Promise<void> {
    await this.heardOf(new RegExp(`^SIP/2\\.0 ${status} [^]*^CSeq: ${cseq}\r$`, 'm'));
  }

  async heardOf(message: RegExp): Promise<string> {
    await eventually(
      () => `${message.source}; heard: ${this.heard.map((text) => text.split('\r\n')[0]).join(' | ')}`,
      () => this.heard.some((text) => message.test(text)),
    );
    return this.heard.find((text) => message.test(text)) ?? '';
  }

  close(): void {
    this.socket.close();
  }
}

/** A bridge with a SIP account, whose calls may be silent for this long. */
async function openAccount(CALL_SILENT_MEDIA: string) {
  const port = await freeSipPort();
  const environment = { SIP_PORTS: `${port}-${port}`, CARRIERS_IN_PRIVATE_NETWORKS: 'true', CALL_SILENT_MEDIA };
  const harness = await BridgeHarness.open(environment, undefined, [sip]);
  const member = harness.member();
  const mediaPorts = { mediaPortFrom: String(51_000 + (process.pid % 40) * 40), mediaPortTo: '53999' };
  const credentials = { port: String(port), trusted: host, callsAddresses: 'true', ...mediaPorts };
  const { CarrierAccountKeyID } = await member.ask(saveCarrierAccount, { carrier: 'sip', AccountName: 'Phones', credentials });
  const { NumberKeyID } = await member.ask(saveNumber, { CarrierAccountKeyID, number: 'agent', AgentID: 12 });
  const probe = await PlainPhone.open(port, 'probe');
  await eventually('it listens', () => {
    probe.say('OPTIONS', 1, { branch: String(probe.heard.length) });
    return probe.heard.length > 0;
  });
  probe.close();
  return { port, harness, member, NumberKeyID };
}

describe('a SIP call, packet by packet', () => {
  let harness: BridgeHarness;
  let port: number;
  let member: Member;
  let NumberKeyID: string;
  let phone: PlainPhone;
  let calls = 0;

  beforeAll(async () => {
    ({ port, harness, member, NumberKeyID } = await openAccount('10m'));
  });
  beforeEach(async () => {
    calls += 1;
    phone = await PlainPhone.open(port, `call${calls}`);
  });
  afterEach(() => {
    phone.close();
    harness.scripted.reset();
  });
  afterAll(() => harness.close());

  const latest = async (): Promise<CallRecord | undefined> => (await member.ask(listCalls, { pageSize: 1 })).rows[0];
  const over = async (): Promise<CallRecord | undefined> => {
    let ended: CallRecord | undefined;
    await eventually('it is written down and over', async () => {
      // By the rows, read in one statement: the count beside them is read later and may include another call.
      const { rows } = await member.ask(listCalls, { pageSize: 100 });
      ended = rows[0];
      return rows.length === calls && typeof ended?.endedAt === 'string';
    });
    return ended;
  };
  const missed = { direction: 'INBOUND', state: 'MISSED', outcome: 'NO_ANSWER', answeredAt: null, durationSeconds: 0 };

  it('is missed if the caller cancels while it rings', async () => {
    const { promise: told, resolve: tell } = Promise.withResolvers<void>();
    harness.scripted.beforeAgent = () => told;
    phone.say('INVITE', 1, { body: description });
    await phone.answered(180, '1 INVITE');
    phone.cancel();
    await phone.answered(200, '1 CANCEL');
    await phone.answered(487, '1 INVITE');
    phone.say('ACK', 1, { branch: 'INVITE' });
    tell();
    expect(await over()).toMatchObject(missed);
  });

  it('is missed if the caller sends BYE while it rings, with the tag of the ringing', async () => {
    const { promise: told, resolve: tell } = Promise.withResolvers<void>();
    harness.scripted.beforeAgent = () => told;
    phone.say('INVITE', 1, { body: description });
    await phone.answered(180, '1 INVITE');
    phone.say('BYE', 2);
    await phone.answered(200, '2 BYE');
    await phone.answered(487, '1 INVITE');
    phone.say('ACK', 1, { branch: 'INVITE' });
    tell();
    expect(await over()).toMatchObject(missed);
  });

  it('is missed if a CANCEL crosses our 200 and the caller hangs up before it is connected', async () => {
    const { promise: held, resolve: hold } = Promise.withResolvers<void>();
    harness.scripted.beforeMeter = () => held;
    phone.say('INVITE', 1, { body: description });
    await phone.answered(200, '1 INVITE');
    phone.cancel();
    await phone.answered(200, '1 CANCEL');
    phone.say('ACK', 1);
    phone.say('BYE', 2);
    await phone.answered(200, '2 BYE');
    hold();
    expect(await over()).toMatchObject(missed);
    expect(phone.heard.some((text) => text.startsWith('SIP/2.0 487'))).toBe(false);
  });

  it('goes on after a CANCEL that came later than the 200, until it is hung up', async () => {
    phone.say('INVITE', 1, { body: description });
    await phone.answered(200, '1 INVITE');
    phone.say('ACK', 1);
    await eventually('it is in progress', async () => (await latest())?.state === 'IN_PROGRESS');
    phone.cancel();
    await phone.answered(200, '1 CANCEL');
    phone.say('OPTIONS', 2);
    await phone.answered(200, '2 OPTIONS');
    expect(await latest()).toMatchObject({ state: 'IN_PROGRESS' });
    phone.say('BYE', 3);
    await phone.answered(200, '3 BYE');
    expect(await over()).toMatchObject({ state: 'COMPLETED', outcome: 'ANSWERED', cause: 'The other side hung up.' });
  });

  it.each(['one one two', 'urn:service:sos', '+14155551234\r\nX: 1', 'reception', 'sip:a b@127.0.0.1'])(
    'is not placed to %j, which is no number',
    async (to) => {
      calls -= 1;
      const refused = {
        code: 'VALIDATION_FAILED',
        details: [{ field: 'to', message: expect.stringContaining('to is not a telephone number') }],
      };
      await expect(member.ask(placeCall, { AgentID: 12, NumberKeyID, to })).rejects.toMatchObject(refused);
    },
  );

  describe.each([
    ['and the other side answers before the caller hangs up', ['100', '200', 'BYE'], 'TRANSFERRED', 'TAKEN'],
    ['and the other side answers after that', ['100', 'BYE', '200'], 'TRANSFERRED', 'TAKEN'],
    ['and nobody answers before the caller hangs up', ['100', 'BYE'], 'ANSWERED', 'CALLER_LEFT'],
    ['and the caller hangs up at once', ['BYE'], 'ANSWERED', 'CALLER_LEFT'],
  ])('transferred to a person, %s', (_when, order, outcome, state) => {
    it(`is ${outcome}`, async () => {
      harness.scripted.hear = ({ channel }, item) => {
        if (!('signal' in item)) return;
        const { signal } = item;
        if (signal.type === 'transfer.ask') channel.signal({ type: 'line.transfer', to: signal.to });
        if (signal.type === 'session.end' || signal.type === 'transfer.done') channel.close('over');
      };
      phone.say('INVITE', 1, { body: description });
      await phone.answered(200, '1 INVITE');
      phone.say('ACK', 1);
      await eventually('it is in progress', async () => (await latest())?.state === 'IN_PROGRESS');
      const CallKeyID = (await latest())?.CallKeyID ?? '';
      const to = `sip:person@${phone.address}`;
      await expect(member.ask(transferCall, { CallKeyID, to: 'one one two', mode: 'BLIND' })).rejects.toMatchObject({
        details: [{ field: 'to', message: expect.stringContaining('to is not a telephone number') }],
      });
      await member.ask(transferCall, { CallKeyID, to, mode: 'BLIND' });
      phone.answer(await phone.heardOf(/^REFER /), '202 Accepted');
      const tell = (number: number, status: string): void => {
        const headers = ['Event: refer', 'Subscription-State: active'];
        phone.say('NOTIFY', number, { body: `SIP/2.0 ${status}\r\n`, branch: `NOTIFY${number}`, headers });
      };
      for (const [index, each] of order.entries()) {
        const number = 2 + index;
        if (each === 'BYE') phone.say('BYE', number);
        else tell(number, each === '100' ? '100 Trying' : '200 OK');
        await phone.answered(200, `${number} ${each === 'BYE' ? 'BYE' : 'NOTIFY'}`);
      }
      await eventually('it is written down', async () => (await over())?.outcome === outcome);
      const isTaken = outcome === 'TRANSFERRED';
      expect(await over()).toMatchObject({
        ...{ state: 'COMPLETED', outcome, transferredTo: isTaken ? to : null, transfer: { to, mode: 'BLIND', state } },
        cause: isTaken ? 'The caller was given to a person.' : 'The other side hung up.',
      });
    });
  });

  it('says in its cause that the answer to our offer never came', async () => {
    phone.say('INVITE', 1);
    await phone.answered(200, '1 INVITE');
    phone.say('ACK', 1);
    await phone.heardOf(/^BYE/);
    expect(await over()).toMatchObject({
      state: 'FAILED',
      outcome: 'FAILED',
      cause: 'The call broke off: the peer answered our offer with no sound that we share.',
    });
  });

  it('is cancelled when we end it, and a phone that answers all the same receives a BYE', async () => {
    const asked = { AgentID: 12, to: `sip:phone@${phone.address}`, NumberKeyID };
    const { CallKeyID } = await member.ask(placeCall, asked);
    const invite = await phone.heardOf(/^INVITE/);
    phone.answer(invite, '180 Ringing');
    await eventually('it is known there', async () => (await member.ask(getCall, { CallKeyID })).carrierCallID !== null);
    await member.ask(endCall, { CallKeyID });
    await phone.heardOf(/^CANCEL/);
    phone.answer(invite, '200 OK');
    await phone.heardOf(/^ACK/);
    await phone.heardOf(/^BYE/);
    expect(await over()).toMatchObject({ direction: 'OUTBOUND', state: 'CANCELLED', outcome: 'CANCELLED', answeredAt: null });
  });
});

describe('a SIP call without sound', () => {
  it('goes on while on hold, where nothing is charged, and ends if silent off hold', async () => {
    const { port, harness, member } = await openAccount('3s');
    const dial = async (callId: string): Promise<PlainPhone> => {
      const phone = await PlainPhone.open(port, callId);
      phone.say('INVITE', 1, { body: description });
      await phone.answered(200, '1 INVITE');
      phone.say('ACK', 1);
      return phone;
    };
    const records = async () => (await member.ask(listCalls, { sortColumn: 'CallID', sortOrder: 'ASC' })).rows;
    const over = (count: number) =>
      eventually(`${count} over`, async () => (await records()).filter(({ endedAt }) => endedAt !== null).length === count);
    const silent = { state: 'FAILED', remarks: ['NO_MEDIA'] };
    const held = await dial('held');
    held.say('INVITE', 2, { body: `${description}a=sendonly\r\n`, branch: 'hold' });
    await held.answered(200, '2 INVITE');
    held.say('ACK', 2, { branch: 'held' });
    await eventually('the agent is on the line', () => harness.scripted.lines.length === 1);
    // It may be silent for as long as the other, began later, and is not on hold.
    const other = await dial('other');
    await over(1);
    expect(await records()).toMatchObject([{ state: 'IN_PROGRESS' }, silent]);
    expect(harness.scripted.lines[0]?.sounds).toEqual([]);
    held.say('INVITE', 3, { body: description, branch: 'resume' });
    await held.answered(200, '3 INVITE');
    held.say('ACK', 3, { branch: 'resumed' });
    await over(2);
    expect(await records()).toMatchObject([silent, silent]);
    for (const phone of [held, other]) phone.close();
    await harness.close();
  });
});
