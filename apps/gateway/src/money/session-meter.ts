import { Controller } from '@nestjs/common';
import {
  chargeOnce,
  type CreditKind,
  creditKinds,
  Fault,
  isOutOfCredits,
  openSessionMeter,
  type Principal,
  type ServerFrame,
  sessionMeterLost,
} from '@parley/contracts';
import { Outbox, TenantScope } from '@parley/database';
import { type AcceptedChannel, type Call, type Channel, Handles, type HandlerOf, organizationOf } from '@parley/messaging';
import { Lifetime, Logger } from '@parley/service-kit';
import type { z } from 'zod';
import { Charge, type Chargeable, Charging } from './charging';
import { CreditBook } from './credit-book';
import type { Amounts } from './operation';

type Usage = Extract<ServerFrame, { type: 'usage' }>['usage'];
/** What a turn with a charge of its own used. */
export interface UsedTurn {
  readonly chargeId: string;
  readonly tokens: number;
}

type Payer = Omit<Chargeable, 'estimate' | 'chargeId'>;

interface Slice {
  readonly charge: Charge;
  /** The amounts it is meant for, without what was foreseen as it was held. */
  readonly size: Amounts;
  readonly held: Amounts;
  readonly used: Amounts;
}

/** About half a minute of conversation. Each turn holds its tokens itself: the one here only tells whether there are any left. */
const slice = { STT_API: 30, TTS_API: 500, TTT_API: 1 };
/** The smallest share of a slice worth holding if credits are scarce. */
const lastShare = 1 / 8;
/** Credits are scarce if fewer slices than this are left: what one session holds, another cannot begin with. */
const slicesMin = 3;
const settleEveryMs = 60_000;
const noteAfterMs = 3_000;
/** Sessions are noted in the same moments, because one commit for all of them costs little more than one for each. */
const notesEveryMs = 1_000;

/**
 * Pays for a session as it runs: sockets use it here, other services over the bus. Credits are held in small slices, each before
 * the previous one is used up, so that a session never runs unpaid, and at most a slice is unavailable to others.
 */
export class SessionMeter {
  private current: Slice | undefined;
  private renewal: Promise<void> | undefined;
  private readonly timer: NodeJS.Timeout;
  private noting: NodeJS.Timeout | undefined;
  private readonly turns = new Set<Promise<void>>();
  /** Seconds heard that are used once they are transcribed. They are held too, or a long voice would use more than there is. */
  private foreseenSeconds = 0;
  private isExhausted = false;
  private isOver = false;

  constructor(
    private readonly charging: Charging,
    private readonly payer: Payer,
    private readonly setting: { readonly kinds: readonly CreditKind[]; readonly log: Logger; onExhausted(why: Fault): void },
  ) {
    this.timer = setInterval(() => this.renewSoon(), settleEveryMs).unref();
  }

  /** Holds the first slice; CREDITS_EXHAUSTED if not even the smallest is left. */
  async begin(): Promise<void> {
    this.current = await this.hold();
    if (this.isOver) await this.settle(this.current);
  }

  /** Adds usage since the last call. */
  use(usage: Usage): void {
    const { current } = this;
    if (!current) return;
    for (const { kind, units } of usage) {
      current.charge.use(kind, units);
      current.used[kind] = (current.used[kind] ?? 0) + units;
    }
    this.renewIfShort(current);
    this.noting ??= setTimeout(() => this.note(), msUntilNote(performance.now())).unref();
  }

  /** How much sound may soon be used. */
  foresee(seconds: number): void {
    this.foreseenSeconds = seconds;
    if (this.current) this.renewIfShort(this.current);
  }

  private renewIfShort(current: Slice): void {
    if (this.shareLeft(current) <= 0.5) this.renewSoon();
  }

  /** The smallest share of the size that is left of any kind. Negative if more was used than held. */
  private shareLeft({ size, held, used }: Slice): number {
    const foreseen: Amounts = { STT_API: this.foreseenSeconds };
    const left = (kind: CreditKind): number => (held[kind] ?? 0) - (used[kind] ?? 0) - (foreseen[kind] ?? 0);
    return Math.min(...creditKinds.map((kind) => (size[kind] ? left(kind) / size[kind] : 1)));
  }

  /** Ends the charge of a turn that held its tokens itself. */
  useTurn({ chargeId, tokens }: UsedTurn): void {
    const charge = this.charging.ofTurn(chargeId, this.payer);
    if (tokens > 0) charge.use('TTT_API', tokens);
    const ended = this.settle({ charge, used: tokens > 0 ? { TTT_API: tokens } : {} }, { isSoonEnough: true });
    this.turns.add(ended);
    void ended.finally(() => this.turns.delete(ended));
  }

  /** Records usage so far, so that a gateway that dies loses only what follows. */
  private note(): void {
    this.noting = undefined;
    if (!this.isOver) this.current?.charge.recordOwed({});
  }

  /** Charges what is not charged yet. Resolves once that is durable, or was given up. */
  async end(): Promise<void> {
    await Promise.all([...this.turns, this.isOver || this.endSlice()]);
  }

  private async endSlice(): Promise<void> {
    this.isOver = true;
    clearInterval(this.timer);
    clearTimeout(this.noting);
    await this.renewal;
    if (this.current) await this.settle(this.current);
  }

  private renewSoon(): void {
    if (this.isOver || this.isExhausted || !this.current) return;
    this.renewal ??= this.renew(this.current).finally(() => (this.renewal = undefined));
  }

  private async renew(current: Slice): Promise<void> {
    try {
      if (this.shareLeft(current) <= 0) return await this.replaceOverdrawn(current);
      this.current = await this.hold();
      await this.settle(current, { isSoonEnough: true });
    } catch (error) {
      this.cannotHold(error);
    }
  }

  /** More was used than held: that is paid first, and only the rest can be held. */
  private async replaceOverdrawn(current: Slice): Promise<void> {
    const unheld = await this.holdShare(0);
    this.current = unheld;
    await this.settle(current);
    this.current = await this.hold();
    await this.settle(unheld);
  }

  private cannotHold(error: unknown): void {
    const { log, onExhausted } = this.setting;
    if (!isOutOfCredits(error)) {
      const { requestId } = this.payer;
      return log.warn('Credits of a session could not be held; it is tried again', { requestId, error });
    }
    // What is still held can still be spent.
    if (this.current && isHeld(this.current)) return;
    this.isExhausted = true;
    onExhausted(error);
  }

  private async hold(): Promise<Slice> {
    try {
      return await this.holdShare(1, slicesMin);
    } catch (error) {
      if (isOutOfCredits(error)) return this.holdShare(lastShare);
      throw error;
    }
  }

  private async holdShare(share: number, timesAvailable = 1): Promise<Slice> {
    const size: Amounts = {};
    if (share > 0) for (const kind of this.setting.kinds) size[kind] = Math.ceil(slice[kind] * share);
    const held = { ...size, ...(size.STT_API && { STT_API: size.STT_API + this.foreseenSeconds }) };
    return {
      charge: await this.charging.open({ ...this.payer, estimate: held, isImpatient: true, timesAvailable }),
      size,
      held,
      used: {},
    };
  }

  private async settle({ charge, used }: Pick<Slice, 'charge' | 'used'>, { isSoonEnough = false } = {}): Promise<void> {
    try {
      if (Object.keys(used).length === 0) await charge.release();
      else await charge.settle({ isSoonEnough });
    } catch (error) {
      this.setting.log.error('The usage of a session could not be charged', { requestId: this.payer.requestId, used, error });
    }
  }
}

/** How long usage that begins now waits to be noted: not longer than a gateway that dies may lose. */
export function msUntilNote(nowMs: number): number {
  return noteAfterMs - ((nowMs + noteAfterMs) % notesEveryMs);
}

function isHeld({ held }: Slice): boolean {
  return Object.keys(held).length > 0;
}

type SessionMeterOpening = z.output<typeof openSessionMeter.opening>;
type SessionMeterAccepted = z.output<typeof openSessionMeter.accepted>;
type SessionMeterSignal = z.output<typeof openSessionMeter.signal>;

/** A session of another service, and the total usage reported for it. */
class HeldSession {
  /** Its holder knows the usage: it ended the session, or moves it to another gateway. */
  isKnown = false;
  private readonly used = new Map<CreditKind, number>();

  constructor(
    readonly meter: SessionMeter,
    before: Usage,
  ) {
    this.count(before);
  }

  get usage(): Usage {
    return [...this.used].map(([kind, units]) => ({ kind, units }));
  }

  use(usage: Usage): void {
    this.meter.use(usage);
    this.count(usage);
  }

  foresee(seconds: number): void {
    this.meter.foresee(seconds);
  }

  useTurn(turn: UsedTurn): void {
    this.meter.useTurn(turn);
    this.count([{ kind: 'TTT_API', units: turn.tokens }]);
  }

  private count(usage: Usage): void {
    for (const { kind, units } of usage) this.used.set(kind, (this.used.get(kind) ?? 0) + units);
  }
}

type ChargeOnce = HandlerOf<typeof chargeOnce>;

/** Meters for other services: telephone calls, whose sound does not pass through here, and the extraction of their results. */
@Controller()
export class SessionMetersController {
  constructor(
    private readonly charging: Charging,
    private readonly book: CreditBook,
    private readonly tenants: TenantScope,
    private readonly outbox: Outbox,
    private readonly lifetime: Lifetime,
    private readonly log: Logger,
  ) {}

  /** Accepts the channel once the first slice is held. */
  @Handles(openSessionMeter)
  async open(
    { AgentID, AgentKeyID, usedBefore }: SessionMeterOpening,
    call: Call,
  ): Promise<AcceptedChannel<SessionMeterAccepted, SessionMeterSignal>> {
    const { requestId } = call;
    const principal = serviceOf(call);
    if (this.lifetime.draining.aborted) throw new Fault('SERVICE_UNAVAILABLE');
    let tellExhausted = (): void => undefined;
    let isExhausted = false;
    const onExhausted = (): void => {
      isExhausted = true;
      tellExhausted();
    };
    const payer = { principal, requestId, agentId: AgentID, agentKeyId: AgentKeyID };
    const meter = new SessionMeter(this.charging, payer, {
      kinds: ['TTT_API', 'TTS_API', 'STT_API'],
      log: this.log,
      onExhausted,
    });
    await meter.begin();
    // If the caller stopped waiting, the hold is released.
    const leave = (): void => void meter.end();
    call.signal.addEventListener('abort', leave, { once: true });
    if (call.signal.aborted) leave();
    const serve = async (line: Channel<SessionMeterSignal>): Promise<void> => {
      call.signal.removeEventListener('abort', leave);
      tellExhausted = () => line.signal({ type: 'exhausted' });
      if (isExhausted) tellExhausted();
      await this.run(new HeldSession(meter, usedBefore), line, { orgId: organizationOf(call), requestId });
    };
    return { accepted: { isHeld: true, takesUndecided: true }, serve };
  }

  @Handles(chargeOnce)
  async charge(
    { ChargeID: id, AgentID, AgentKeyID, usage }: Parameters<ChargeOnce>[0],
    call: Call,
  ): Promise<{ isCharged: true }> {
    const { keyId } = serviceOf(call);
    const spender = { keyId, agentId: AgentID, agentKeyId: AgentKeyID, requestId: call.requestId };
    const charge = new Charge(this.book, { orgId: organizationOf(call), id, spender });
    for (const { kind, units } of usage) charge.use(kind, units);
    await charge.settle();
    return { isCharged: true };
  }

  /**
   * However the channel ends, usage until then is charged. A gateway that stops settles, and another one takes over the session.
   */
  private async run(
    session: HeldSession,
    line: Channel<SessionMeterSignal>,
    whose: { orgId: number; requestId: string },
  ): Promise<void> {
    const { meter } = session;
    const stop = async (): Promise<void> => {
      session.isKnown = true;
      await meter.end();
      line.signal({ type: 'settled' });
      line.close('moved');
    };
    const { draining } = this.lifetime;
    const stopped = (): void => void stop();
    draining.addEventListener('abort', stopped, { once: true });
    try {
      for await (const item of line.incoming) {
        if ('frame' in item) continue;
        if (item.signal.type === 'usage') session.use(item.signal.usage);
        if (item.signal.type === 'undecided') session.foresee(item.signal.seconds);
        if (item.signal.type === 'turn') session.useTurn(item.signal);
        if (item.signal.type !== 'end') continue;
        session.isKnown = true;
        break;
      }
    } finally {
      draining.removeEventListener('abort', stopped);
      await meter.end();
    }
    line.signal({ type: 'settled' });
    if (!session.isKnown) await this.reportLost(session.usage, whose);
  }

  /** The session's next holder knows only what was recorded, not what was reported to this gateway after that. */
  private async reportLost(usage: Usage, { orgId, requestId }: { orgId: number; requestId: string }): Promise<void> {
    try {
      const event = { orgId, payload: { requestId, usage } };
      await this.tenants.run(orgId, (manager) => this.outbox.add(manager, sessionMeterLost, event));
    } catch (error) {
      this.log.error('The charge of a lost session could not be reported', { requestId, usage, error });
    }
  }
}

/** A service reports usage in its own name, never by forwarding a client's call. */
function serviceOf({ principal }: Call): Principal {
  if (principal?.kind !== 'system')
    throw new Fault('SCOPE_MISSING', { message: 'Only services of the platform may report usage.' });
  return principal;
}
