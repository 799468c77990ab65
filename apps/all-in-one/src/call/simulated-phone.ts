import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { within } from '@parley/ports';
import { fliteVoice, Handset, LoopbackNetwork, type Phone, type PreparedStep, preparedScript } from '@parley/providers/loopback';
import { SipEndpoint, type SipUri } from '@parley/sip';
import { realClock } from '@parley/voice-session';
import { z } from 'zod';
import type { Demo } from '../demo/demo-file';

const accountName = 'Simulated phone';
const number = '+15550100';
const caller = '+12025550123';
const lookEveryMs = 400;
const callMsMax = 3_600_000;
/** The ports that SIP accounts may listen on by default. */
export const usualSipPorts = { from: 5060, to: 5069 };
const sipAccountName = 'Simulated SIP phone, port';
const sipUser = 'agent';
const listensWithinMs = 15_000;
/** The phone's own media ports, apart from the default range of a platform on the same machine. */
const mediaPorts = { from: 30_000, to: 30_099 };

const Account = z.object({
  CarrierAccountKeyID: z.string(),
  AccountName: z.string(),
  webhookURL: z.string(),
  statusURL: z.string(),
});
const Answer = z.object({
  data: z.unknown().optional(),
  message: z.string().optional(),
  details: z.array(z.object({ message: z.string() })).default([]),
});
const Numbers = z.array(z.object({ NumberKeyID: z.string(), number: z.string() }));
const Called = z.object({
  CallKeyID: z.string(),
  carrierCallID: z.string().nullable(),
  state: z.string(),
  cause: z.string().nullable(),
  endedAt: z.string().nullable(),
  durationSeconds: z.number(),
  credits: z.record(z.string(), z.number()),
  sessionUUID: z.string().nullable(),
});
const Language = z.object({ LanguageID: z.number(), label: z.string() });
const History = z.object({ chatHistory: z.array(z.object({ sender: z.string(), text: z.string() })) });

/** How a phone reaches the platform: over the simulated network, or with real network packets. */
type Way = 'loopback' | 'sip';

/** A call that was started, identified by a part of the carrier's id for it. */
interface Ringing {
  readonly callId: string;
  whyFailed(): string | undefined;
  close(): void | Promise<void>;
}

/** The outcome of a call. */
interface CallOutcome {
  readonly record: z.output<typeof Called>;
  /** Everything the phone heard, at the network's sample rate. */
  readonly heard: Int16Array;
  /** The agent's language. Set if the call failed and no word of the caller was understood. */
  readonly unheardIn: string | undefined;
}

/** A telephone that calls the demo agent like any caller. */
export class SimulatedPhone {
  private shown = 0;
  private isUnderstood = false;

  constructor(
    private readonly demo: Demo,
    private readonly print: (line: string) => void,
    private readonly way: Way = 'loopback',
    private readonly sipPorts = usualSipPorts,
  ) {}

  /** Places the call, prints what is said, and resolves when the call has ended. */
  async call({ script = [], attach }: Pick<Phone, 'script' | 'attach'>): Promise<CallOutcome> {
    let handset: Handset | undefined;
    const phone: Phone = {
      answers: 'picks-up',
      script,
      attach: (opened) => {
        handset = opened;
        attach?.(opened);
      },
    };
    const ringing = await (this.way === 'sip' ? this.ringOverSip(phone) : this.ringOverNetwork(phone));
    const record = await this.follow(ringing).finally(() => ringing.close());
    const unheardIn = record.state === 'FAILED' && !this.isUnderstood ? await this.language() : undefined;
    return { record, heard: handset?.heard ?? new Int16Array(), unheardIn };
  }

  private async language(): Promise<string | undefined> {
    const agent = await this.ask('GET', `agent/get-agent?AgentKeyID=${this.demo.AgentKeyID}`);
    const languages = z.array(Language).parse(await this.ask('GET', 'lookup/languages'));
    const { LanguageID: spoken } = Language.pick({ LanguageID: true }).parse(agent);
    return languages.find(({ LanguageID }) => LanguageID === spoken)?.label;
  }

  private async ringOverNetwork(phone: Phone): Promise<Ringing> {
    const secret = randomBytes(16).toString('hex');
    const account = await this.account(secret);
    await this.answered(account.CarrierAccountKeyID, number);
    const network = new LoopbackNetwork({ clock: realClock, voice: fliteVoice() });
    this.print('ringing…');
    const order = {
      reference: randomUUID(),
      from: caller,
      to: number,
      answerUrl: account.webhookURL,
      statusUrl: account.statusURL,
    };
    const wish = { ...order, ringSeconds: 30, secondsMax: 3600, detectMachine: false, secret };
    const callId = await network.call(wish, phone).catch((error: unknown) => {
      network.close();
      throw error;
    });
    const whyFailed = (): string | undefined => {
      const found = network.find({ callId });
      return found?.state === 'failed' ? found.cause : undefined;
    };
    return { callId, whyFailed, close: () => network.close() };
  }

  /** Places the call with real packets from a port of this machine: SIP over UDP, and mu-law sound over RTP. */
  private async ringOverSip(phone: Phone): Promise<Ringing> {
    const script = await preparedScript(phone, fliteVoice());
    const { hostname } = new URL(this.demo.baseUrl);
    const endpoint = await SipEndpoint.open({
      host: '127.0.0.1',
      port: 0,
      media: { host: '127.0.0.1', ...mediaPorts },
      codecs: ['PCMU'],
      incoming: (call) => call.refuse(480),
    });
    try {
      const to = { user: sipUser, host: hostname, port: await this.sipPort(), parameters: new Map<string, string>() };
      await this.listens(endpoint, to);
      this.print(`ringing sip:${to.user}@${to.host}:${to.port}…`);
      return await dial(endpoint, to, { script, attach: phone.attach });
    } catch (error) {
      await endpoint.close();
      throw error;
    }
  }

  /** The port of this phone's account, which is recognized by its name. A new account gets the first free port. */
  private async sipPort(): Promise<number> {
    const { from, to } = this.sipPorts;
    const known = z.array(Account).parse(await this.ask('GET', 'number/carrier-account-list'));
    const own = known.find(({ AccountName }) => AccountName.startsWith(sipAccountName));
    const port = Number(own?.AccountName.slice(sipAccountName.length) ?? Number.NaN);
    if (port >= from && port <= to) return port;
    let refusal: unknown = new Error('no port is open for SIP: see SIP_PORTS in docs/configuration.md');
    for (let free = from; free <= to; free += 1) {
      const credentials = { port: String(free), trusted: '127.0.0.1' };
      const account = { carrier: 'sip', AccountName: `${sipAccountName} ${free}`, credentials };
      const wish = { CarrierAccountKeyID: own?.CarrierAccountKeyID ?? null, ...account };
      const saved = await this.ask('POST', 'number/add-update-carrier-account', wish).catch(
        (error: unknown) => (refusal = error),
      );
      const { data } = Account.safeParse(saved);
      if (!data) continue;
      await this.answered(data.CarrierAccountKeyID, sipUser);
      return free;
    }
    throw refusal;
  }

  private async listens(endpoint: SipEndpoint, to: SipUri): Promise<void> {
    for (const untilMs = Date.now() + listensWithinMs; Date.now() < untilMs; await delay(lookEveryMs))
      if ((await within<unknown>(1_000, endpoint.isThere(to), () => undefined)) === 200) return;
    throw new Error(`nothing answers at port ${to.port}: another program may have it, or SIP_PORTS says others`);
  }

  /** This phone's account, with a secret known only to this call. */
  private async account(secret: string): Promise<z.output<typeof Account>> {
    const known = z.array(Account).parse(await this.ask('GET', 'number/carrier-account-list'));
    const before = known.find(({ AccountName }) => AccountName === accountName);
    const wish = { CarrierAccountKeyID: before?.CarrierAccountKeyID ?? null, carrier: 'loopback', AccountName: accountName };
    return Account.parse(await this.ask('POST', 'number/add-update-carrier-account', { ...wish, credentials: { secret } }));
  }

  private async answered(CarrierAccountKeyID: string, called: string): Promise<void> {
    const numbers = Numbers.parse(await this.ask('POST', 'number/number-list', { CarrierAccountKeyID, pageSize: 200 }));
    if (numbers.some((each) => each.number === called)) return;
    const wish = { CarrierAccountKeyID, number: called, label: accountName, AgentID: this.demo.AgentID, isDefault: 1 };
    await this.ask('POST', 'number/add-update-number', wish);
  }

  private async follow({ callId, whyFailed }: Ringing): Promise<z.output<typeof Called>> {
    for (const untilMs = Date.now() + callMsMax; Date.now() < untilMs; await delay(lookEveryMs)) {
      const calls = z.array(Called).parse(await this.ask('POST', 'call/call-list', { number: caller, pageSize: 20 }));
      const call = calls.find(({ carrierCallID }) => carrierCallID?.endsWith(callId));
      if (call?.sessionUUID) await this.show(call.sessionUUID);
      // The call's credits are settled shortly after its end.
      if (call?.endedAt && Date.now() - Date.parse(call.endedAt) > 1_500) return call;
      const failed = call ? undefined : whyFailed();
      if (failed !== undefined) throw new Error(`the platform did not take the call: ${failed}`);
    }
    throw new Error('the call did not end within an hour');
  }

  private async show(sessionUUID: string): Promise<void> {
    const reply = await fetch(`${this.demo.baseUrl}/api/v1/external/history?sessionUUID=${sessionUUID}`, {
      headers: { 'x-api-key': this.demo.agentKey },
    });
    const { data } = History.safeParse(await reply.json());
    for (const { sender, text } of data?.chatHistory.slice(this.shown) ?? [])
      this.print(`${sender === 'user' ? '  you' : 'agent'}  ${text}`);
    this.isUnderstood ||= data?.chatHistory.some(({ sender }) => sender === 'user') ?? false;
    this.shown = Math.max(this.shown, data?.chatHistory.length ?? 0);
  }

  private async ask(method: 'GET' | 'POST', place: string, body?: object): Promise<unknown> {
    const reply = await fetch(`${this.demo.baseUrl}/api/v1/external/${place}`, {
      method,
      headers: { 'x-api-key': this.demo.workspaceKey, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const answer = Answer.parse(await reply.json());
    const details = answer.details.map(({ message }) => `: ${message}`).join('');
    if (!reply.ok) throw new Error(`${place}: ${reply.status} ${answer.message}${details}`);
    return answer.data;
  }
}

const Key = z.object({ event: z.literal('digit'), digit: z.string() });

/** A handset on a SIP call: it sends and receives mu-law in frames of 20 ms. */
async function dial(
  endpoint: SipEndpoint,
  to: SipUri,
  { script, attach }: { script: PreparedStep[]; attach: Phone['attach'] },
): Promise<Ringing> {
  let handset: Handset | undefined;
  let failed: string | undefined;
  const call = await endpoint.place({
    to,
    from: { user: caller },
    ringMs: 30_000,
    listener: {
      answered: () => {
        if (typeof call === 'string') return;
        handset = new Handset({
          clock: realClock,
          script,
          send: (message) => {
            if (typeof message !== 'string') return void call.sound.send(message);
            const { data: key } = Key.safeParse(JSON.parse(message));
            if (key) call.sound.press(key.digit);
          },
          over: () => call.hangUp(),
        });
        attach?.(handset);
      },
      sound: ({ payload }) => handset?.receive(payload),
      ended: ({ words }) => {
        failed = words;
        handset?.end('them');
      },
    },
  });
  if (typeof call === 'string') throw new Error(`the call could not be placed: ${call}`);
  return { callId: call.callId, whyFailed: () => failed, close: () => endpoint.close() };
}
