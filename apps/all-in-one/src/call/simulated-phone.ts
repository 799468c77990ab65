import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { fliteVoice, type Handset, LoopbackNetwork, type Phone } from '@parley/providers/loopback';
import { realClock } from '@parley/voice-session';
import { z } from 'zod';
import type { Demo } from '../demo/demo-file';

const accountName = 'Simulated phone';
const number = '+15550100';
const caller = '+12025550123';
const lookEveryMs = 400;
const callMsMax = 3_600_000;

const Account = z.object({
  CarrierAccountKeyID: z.string(),
  AccountName: z.string(),
  webhookURL: z.string(),
  statusURL: z.string(),
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
const History = z.object({ chatHistory: z.array(z.object({ sender: z.string(), text: z.string() })) });

/** The outcome of a call. */
interface Outcome {
  readonly record: z.output<typeof Called>;
  /** Everything that the phone heard, at the rate of the network. */
  readonly heard: Int16Array;
  /** The agent understood nothing. */
  readonly wasSilent: boolean;
}

/** A telephone of a simulated network that calls the demo agent, as any caller would. */
export class SimulatedPhone {
  private readonly network = new LoopbackNetwork({ clock: realClock, voice: fliteVoice() });
  private shown = 0;

  constructor(
    private readonly demo: Demo,
    private readonly print: (line: string) => void,
  ) {}

  /** Places the call, prints what is said, and resolves when it is over. */
  async call({ script = [], attach }: Pick<Phone, 'script' | 'attach'>): Promise<Outcome> {
    const secret = randomBytes(16).toString('hex');
    const account = await this.account(secret);
    await this.answered(account.CarrierAccountKeyID);
    let handset: Handset | undefined;
    const phone: Phone = {
      answers: 'picks-up',
      script,
      attach: (opened) => {
        handset = opened;
        attach?.(opened);
      },
    };
    this.print('ringing…');
    const order = {
      reference: randomUUID(),
      from: caller,
      to: number,
      answerUrl: account.webhookURL,
      statusUrl: account.statusURL,
    };
    const record = await this.network
      .call({ ...order, ringSeconds: 30, secondsMax: 3600, detectMachine: false, secret }, phone)
      .then((callId) => this.follow(callId))
      .finally(() => this.network.close());
    return { record, heard: handset?.heard ?? new Int16Array(), wasSilent: this.shown === 0 };
  }

  /** The account of this phone, with a secret that only this call knows. */
  private async account(secret: string): Promise<z.output<typeof Account>> {
    const known = z.array(Account).parse(await this.ask('GET', 'number/carrier-account-list'));
    const before = known.find(({ AccountName }) => AccountName === accountName);
    const wish = { CarrierAccountKeyID: before?.CarrierAccountKeyID ?? null, carrier: 'loopback', AccountName: accountName };
    return Account.parse(await this.ask('POST', 'number/add-update-carrier-account', { ...wish, credentials: { secret } }));
  }

  private async answered(CarrierAccountKeyID: string): Promise<void> {
    const numbers = Numbers.parse(await this.ask('POST', 'number/number-list', { CarrierAccountKeyID, pageSize: 200 }));
    if (numbers.some((each) => each.number === number)) return;
    const wish = { CarrierAccountKeyID, number, label: accountName, AgentID: this.demo.AgentID, isDefault: 1 };
    await this.ask('POST', 'number/add-update-number', wish);
  }

  private async follow(carrierCallId: string): Promise<z.output<typeof Called>> {
    for (const untilMs = Date.now() + callMsMax; Date.now() < untilMs; await delay(lookEveryMs)) {
      const calls = z.array(Called).parse(await this.ask('POST', 'call/call-list', { number: caller, pageSize: 20 }));
      const call = calls.find(({ carrierCallID }) => carrierCallID === carrierCallId);
      if (call?.sessionUUID) await this.show(call.sessionUUID);
      // The credits are known a moment after the end.
      if (call?.endedAt && Date.now() - Date.parse(call.endedAt) > 1_500) return call;
      const found = this.network.find({ callId: carrierCallId });
      if (!call && found?.state === 'failed') throw new Error(`the platform did not take the call: ${found.cause}`);
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
    this.shown = Math.max(this.shown, data?.chatHistory.length ?? 0);
  }

  private async ask(method: 'GET' | 'POST', place: string, body?: object): Promise<unknown> {
    const reply = await fetch(`${this.demo.baseUrl}/api/v1/external/${place}`, {
      method,
      headers: { 'x-api-key': this.demo.workspaceKey, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const answer = z.object({ data: z.unknown(), message: z.string().optional() }).parse(await reply.json());
    if (!reply.ok) throw new Error(`${place}: ${reply.status} ${answer.message}`);
    return answer.data;
  }
}
