import { setTimeout as delay } from 'node:timers/promises';
import { areCreditsSetAside, Fault, openSessionMeter, type ServerFrame } from '@parley/contracts';
import { type Channel, isTemporary, type LineSignal, type ServiceBus } from '@parley/messaging';
import { within } from '@parley/ports';
import type { Logger } from '@parley/service-kit';
import type { z } from 'zod';
import type { CallEntity, UsedCredits } from '../calls/call.entity';
import { inCallOf } from './call-parts';

type Usage = Extract<ServerFrame, { type: 'usage' }>['usage'];
/** What a turn with a charge of its own used. */
type UsedTurn = Pick<Extract<LineSignal, { type: 'turn.used' }>, 'chargeId' | 'tokens'>;
type MeterSignal = z.output<(typeof openSessionMeter)['signal']>;
type MeterChannel = Channel<MeterSignal>;

const openMs = 5_000;
/** As long as questions wait for credits that others have set aside. */
const setAsideMs = 8_000;
const openTryMs = 2_500;
const pauseMs = 250;
const reopenMs = 30_000;
const settleMs = 20_000;

/** What a meter needs to know of its call. */
export type MeteredCall = Pick<CallEntity, 'orgId' | 'keyId' | 'agentId' | 'agentKey'>;

/**
 * Reports a call's usage to the gateway as it occurs. If a gateway dies, at most half a minute of unsettled usage is lost, and another
 * one continues. Without a gateway for too long the call ends, since it is unknown whether it can be paid.
 */
export class CallMeter {
  /** All usage, charged or not. */
  readonly used: Required<UsedCredits> = { TTT_API: 0, TTS_API: 0, STT_API: 0 };
  private channel: MeterChannel | undefined;
  /** The usage reported to meters. */
  private reported: Usage = [];
  private unreported: Usage = [];
  private unreportedTurns: UsedTurn[] = [];
  private filledMs = 0;
  private takesUndecided = false;
  private isOver = false;

  constructor(
    private readonly bus: ServiceBus,
    private readonly call: MeteredCall,
    private readonly setting: { readonly log: Logger; onExhausted(): void; onLost(): void },
  ) {}

  /**
   * Holds credits for the first part of the call; CREDITS_EXHAUSTED if there are none. If it is patient, it waits for those that
   * others have set aside, and for a gateway.
   */
  async begin({ isPatient = true } = {}): Promise<void> {
    this.take(await (isPatient ? this.open(openMs, setAsideMs) : this.open(0, 0)));
  }

  /** Silence generated here while nothing arrived. The speech service counts it as heard, but it is not charged. */
  filled(ms: number): void {
    this.filledMs += ms;
  }

  use(counted: Usage): void {
    const usage = counted
      .map((each) => (each.kind === 'STT_API' ? this.withoutFilled(each) : each))
      .filter(({ units }) => units > 0);
    if (usage.length === 0) return;
    for (const { kind, units } of usage) this.used[kind] += units;
    if (this.channel) this.report(this.channel, usage);
    else if (!this.isOver) this.unreported = summed([...this.unreported, ...usage]);
  }

  /** Seconds of sound that may soon be used. A meter that is opened later learns the next ones. */
  foresee(seconds: number): void {
    if (this.takesUndecided) this.channel?.signal({ type: 'undecided', seconds });
  }

  /** A turn with a charge of its own, which the gateway ends. */
  useTurn(turn: UsedTurn): void {
    this.used.TTT_API += turn.tokens;
    if (this.channel) this.reportTurn(this.channel, turn);
    else if (!this.isOver) this.unreportedTurns.push(turn);
  }

  /** Resolves once everything is charged. If that is not confirmed in time, the expiry of the hold settles it. */
  async end(): Promise<void> {
    if (this.isOver) return;
    this.isOver = true;
    const { channel } = this;
    return channel ? settled(channel) : this.chargeUnreported();
  }

  /** Subtracts generated silence, in whole seconds; the remainder counts in a later report. */
  private withoutFilled({ kind, units }: Usage[number]): Usage[number] {
    const free = Math.min(units, Math.floor(this.filledMs / 1_000));
    this.filledMs -= free * 1_000;
    return { kind, units: units - free };
  }

  private take(channel: MeterChannel): void {
    this.reportAll(channel);
    // The call ended while the channel was being opened; the gateway would hold credits for as long as it is open.
    if (this.isOver) return void settled(channel);
    this.channel = channel;
    void this.read(channel);
  }

  private report(channel: MeterChannel, usage: Usage): void {
    this.reported = summed([...this.reported, ...usage]);
    channel.signal({ type: 'usage', usage });
  }

  private reportTurn(channel: MeterChannel, { chargeId, tokens }: UsedTurn): void {
    this.reported = summed([...this.reported, { kind: 'TTT_API', units: tokens }]);
    channel.signal({ type: 'turn', chargeId, tokens });
  }

  private reportAll(channel: MeterChannel): void {
    if (this.unreported.length > 0) this.report(channel, this.unreported.splice(0));
    for (const turn of this.unreportedTurns.splice(0)) this.reportTurn(channel, turn);
  }

  private async read(channel: MeterChannel): Promise<void> {
    for await (const item of channel.incoming) {
      if ('signal' in item && item.signal.type === 'exhausted' && !this.isOver) this.setting.onExhausted();
    }
    if (this.isOver) return;
    this.channel = undefined;
    try {
      this.take(await this.open(reopenMs));
    } catch (error) {
      this.setting.log.warn('The credits of a call cannot be held any more', { requestId: this.call.keyId, error });
      if (error instanceof Fault && error.code === 'CREDITS_EXHAUSTED') this.setting.onExhausted();
      else this.setting.onLost();
    }
  }

  /** The call ended without a gateway, so the unreported usage is charged by a new meter. */
  private async chargeUnreported(): Promise<void> {
    if (this.unreported.length + this.unreportedTurns.length === 0) return;
    try {
      const channel = await this.open(openMs);
      this.reportAll(channel);
      await settled(channel);
    } catch (error) {
      this.setting.log.error('The usage of a call could not be charged', { requestId: this.call.keyId, used: this.used, error });
    }
  }

  private async open(withinMs: number, setAsideWithinMs = setAsideMs): Promise<MeterChannel> {
    const { agentId: AgentID, agentKey: AgentKeyID } = this.call;
    const [untilMs, setAsideUntilMs] = [Date.now() + withinMs, Date.now() + setAsideWithinMs];
    for (;;) {
      try {
        const opening = { AgentID, AgentKeyID, usedBefore: this.reported };
        const opened = await inCallOf(this.call, () => this.bus.open(openSessionMeter, opening, { timeoutMs: openTryMs }));
        this.takesUndecided = opened.accepted.takesUndecided;
        return opened.channel;
      } catch (error) {
        const isSetAside = areCreditsSetAside(error);
        if (!isSetAside && !isTemporary(error)) throw error;
        if (Date.now() + pauseMs >= (isSetAside ? setAsideUntilMs : untilMs)) throw error;
      }
      await delay(pauseMs);
    }
  }
}

/** Closes the channel to a meter once the gateway has charged everything, or took too long. */
async function settled(channel: MeterChannel): Promise<void> {
  channel.signal({ type: 'end' });
  await within<unknown>(settleMs, channel.closed, () => undefined);
  channel.close('the call is over');
}

function summed(usage: Usage): Usage {
  const sums = new Map<Usage[number]['kind'], number>();
  for (const { kind, units } of usage) sums.set(kind, (sums.get(kind) ?? 0) + units);
  return [...sums].map(([kind, units]) => ({ kind, units }));
}
