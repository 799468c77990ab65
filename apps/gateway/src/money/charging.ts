import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type CreditKind, creditKinds, Fault, isOurFault, type Principal, Uuid } from '@parley/contracts';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { kindsOf } from './books';
import type { Share } from './common-holds';
import { CreditBook, CreditTerms } from './credit-book';
import {
  type Amounts,
  type CreditOutcome,
  exhausted,
  type Hold,
  rounded,
  type Settlement,
  type Spender,
  totalOf,
} from './operation';
import { type BudgetedWidget, WidgetBudgets } from './widget-budgets';

/** One request that costs credits. */
export interface Chargeable {
  readonly principal: Principal;
  /** The most that is likely to be used, in tokens, characters and audio seconds. All kinds are held, or none. */
  readonly estimate: Amounts;
  readonly requestId: string;
  /**
   * The charge of the request's Idempotency-Key. Each attempt has a charge of its own. In the ledger, an answer or an attempt
   * that we lost is a line under the key, which is charged only once.
   */
  readonly chargeId?: string | undefined;
  /** Called once it is certain that the request is charged something. */
  readonly onCharged?: (() => void) | undefined;
  readonly agentId?: number | undefined;
  readonly agentKeyId?: string | undefined;
  /**
   * The widget whose visitor asks: its daily budget pays as well as the organization; RATE_LIMITED means that the budget is used up.
   */
  readonly visitorOf?: BudgetedWidget | undefined;
  /** Fails at once if others hold what is missing, instead of waiting for its release. */
  readonly isImpatient?: boolean;
  /** Fails unless this many times the estimate is available, so that others can hold as much. */
  readonly timesAvailable?: number;
  /** The kind of which less than the estimate is held if no more is left, and the least that is worth beginning. */
  readonly inPart?: { readonly kind: CreditKind; readonly amountMin: number };
}

/** While credits are plentiful, a turn may spend this many estimates before it must hold more. */
const estimatesIfPlentiful = 8;

/** Hold, work, settle or release: the only way a request costs credits. */
export abstract class Charging {
  /** How many tokens to hold for one answer of a language model, whose length is unknown beforehand. */
  abstract readonly tokensPerTurn: number;

  /**
   * Starts holding the estimate; waits for it only if an account may have too little. Work started in parallel must send nothing
   * before `charge.granted` resolves.
   */
  abstract begin(chargeable: Chargeable): Promise<Charge>;

  /** The charge of a turn that opened its hold itself: its id is all that is known of it here. */
  abstract ofTurn(chargeId: string, payer: Omit<Chargeable, 'estimate' | 'chargeId'>): Charge;

  /** Holds the estimate, or refuses with CREDITS_EXHAUSTED. The charge must be settled or released; a lost one expires. */
  async open(chargeable: Chargeable): Promise<Charge> {
    const charge = await this.begin(chargeable);
    await charge.granted;
    return charge;
  }

  /**
   * Runs work between hold and settlement. Resolves once the ledger has its line, so that the answer may be sent; the work
   * reports its usage with `charge.use` as soon as it is known. If it fails, only what it reported is charged.
   */
  async run<T>(chargeable: Chargeable, work: (charge: Charge) => Promise<T>): Promise<T> {
    const charge = await this.open(chargeable);
    let result: T;
    try {
      result = await work(charge);
    } catch (error) {
      await charge.end({ isLost: isOurFault(error) });
      throw error;
    }
    await charge.settle();
    return result;
  }
}

/** Charging by means of the credit book. */
@Injectable()
export class CreditCharging extends Charging {
  readonly tokensPerTurn: number;

  constructor(
    private readonly book: CreditBook,
    private readonly terms: CreditTerms,
    private readonly budgets: WidgetBudgets,
  ) {
    super();
    this.tokensPerTurn = terms.tokensPerTurn;
  }

  async begin(chargeable: Chargeable): Promise<Charge> {
    const { isImpatient = false, timesAvailable, inPart, onCharged, ...paying } = chargeable;
    const { principal, estimate, chargeId, visitorOf, ...rest } = paying;
    const { orgId, keyId } = principal;
    const share = this.shareFor(chargeable);
    const id = share?.id ?? randomUUID();
    const reserved = visitorOf && (await this.reserved(visitorOf, chargeable, { id, share }));
    const onEnd = visitorOf && ((used: number) => this.budgets.end(orgId, id, used));
    const expiresAtMs = Date.now() + this.terms.holdMs;
    const key = chargeId === undefined ? { isNew: true } : { reference: chargeId };
    const hold: Hold = { type: 'hold', orgId, id, estimate, expiresAtMs, timesAvailable, ...key };
    const partHeld = inPart && this.grantInPart(hold, inPart);
    const alone = (): Promise<void> => partHeld?.then(() => undefined) ?? this.grant(hold, isImpatient);
    const granted = share ? Promise.resolve() : alone();
    granted.catch((error: unknown) => this.takeBack(hold, error));
    if (onEnd) granted.catch(() => onEnd(0));
    const isPlentiful = share !== undefined || this.book.isPlentiful(orgId, estimate);
    if (!isPlentiful) await granted;
    const spender: Spender = { ...rest, keyId, agentId: rest.agentId ?? principal.agentId };
    const inHold = (estimate.TTT_API ?? 0) * (isPlentiful ? estimatesIfPlentiful : 1);
    const tokens = Math.min(inHold, reserved ?? inHold);
    const shared = share && { ...share, estimate };
    const { holdMs } = this.terms;
    const held = { orgId, id, spender, holdMs, reference: chargeId, isPlentiful, tokens, onEnd, onCharged, shared, partHeld };
    return new Charge(this.book, held, granted);
  }

  ofTurn(id: string, { principal, visitorOf, ...rest }: Omit<Chargeable, 'estimate' | 'chargeId'>): Charge {
    const { orgId, keyId } = principal;
    const isPlentiful = this.book.isPlentiful(orgId, { TTT_API: this.tokensPerTurn });
    const spender: Spender = { ...rest, keyId, agentId: rest.agentId ?? principal.agentId };
    const onEnd = visitorOf && ((used: number) => this.budgets.end(orgId, id, used));
    return new Charge(this.book, { orgId, id, spender, holdMs: this.terms.holdMs, onEnd, isPlentiful });
  }

  /** A turn without an Idempotency-Key that costs tokens only, like most, may share a hold with others. */
  private shareFor({ principal, estimate, chargeId, isImpatient, timesAvailable }: Chargeable): Share | undefined {
    const [part, ...others] = kindsOf(estimate);
    if (chargeId !== undefined || isImpatient || timesAvailable !== undefined) return undefined;
    return part?.[0] === 'TTT_API' && others.length === 0 ? this.book.takeShare(principal.orgId, part[1]) : undefined;
  }

  private async reserved(
    widget: BudgetedWidget,
    { estimate, isImpatient = false }: Chargeable,
    { id, share }: { id: string; share: Share | undefined },
  ): Promise<number | undefined> {
    try {
      return await this.budgets.hold(widget, id, totalOf(estimate), { isPatient: !isImpatient });
    } catch (error) {
      share?.end(true);
      throw error;
    }
  }

  private async grant(hold: Hold, isImpatient: boolean): Promise<void> {
    const held = await (isImpatient ? this.book.do(hold, holdPatienceMs) : this.book.holdInTurn(hold));
    if (held.outcome === 'exhausted') throw exhausted(held.kind, held);
  }

  private async grantInPart(hold: Hold, part: NonNullable<Chargeable['inPart']>): Promise<number> {
    const held = await this.book.holdUpTo(hold, part);
    if (typeof held === 'number') return held;
    throw exhausted(held.kind, held);
  }

  /** A hold whose outcome was not known in time may exist, and would otherwise last until it expires. */
  private takeBack({ orgId, id }: Hold, error: unknown): void {
    if (!(error instanceof Fault) || error.code !== 'SERVICE_UNAVAILABLE') return;
    this.book.doLater({ type: 'release', orgId, id, onlyExpired: false }, laterPatienceMs).catch(noOutcome);
  }
}

const NamesAgent = z.object({ AgentKeyID: Uuid });

/** The chargeable part of a request: who pays, for which agent, and under which Idempotency-Key. */
export function chargeableOf(request: FastifyRequest, estimate: Amounts): Chargeable {
  const { principal, id: requestId, chargeId, body } = request;
  if (!principal) throw new Fault('INTERNAL', { cause: new Error('a public route cannot charge') });
  const named = principal.kind === 'wsk' ? NamesAgent.safeParse(body).data : undefined;
  const onCharged = (): void => void (request.isCharged = true);
  return { principal, estimate, requestId, chargeId, onCharged, ...(named && { agentKeyId: named.AgentKeyID }) };
}

/** The identity of a charge, and the terms of its hold. */
interface HoldTerms extends Pick<Chargeable, 'onCharged'> {
  readonly orgId: number;
  readonly id: string;
  readonly spender: Spender;
  /** How long the hold lasts unless extended. */
  readonly holdMs?: number;
  /** The charge of the Idempotency-Key that this is an attempt of; further attempts may follow. */
  readonly reference?: string | undefined;
  /** Whether enough is left besides the hold that it may stay a while before it is released. */
  readonly isPlentiful?: boolean;
  /** Tokens that may be spent before more must be held; absent if tokens are not counted. */
  readonly tokens?: number;
  /** Its part of a common hold, if it has no hold of its own. */
  readonly shared?: (Share & { readonly estimate: Amounts }) | undefined;
  /** Called with the usage of all kinds once the charge ends. Never fails. */
  readonly onEnd?: ((used: number) => Promise<void>) | undefined;
  /** How much is held of the kind that may be held in part. */
  readonly partHeld?: Promise<number> | undefined;
}

/** What a service that spends credits needs to know of a charge. */
interface Payment {
  readonly chargeId: string;
  readonly tokens: number;
  readonly isSettledByTurn: boolean;
  readonly isOfAttempt: boolean;
}

const holdMsUsual = 600_000;
const holdPatienceMs = 5_000;
/** The work is done and must be paid for, so it is worth waiting for a Postgres restart. */
const settlePatienceMs = 20_000;
/** A client waits for a release no longer than this. */
const releasePatienceMs = 2_000;
/** Nobody waits for what is given back later: until then others lack it, and the hold expires not much later. */
const laterPatienceMs = 300_000;

/** Credits held for one request until its usage is known. Ends once; further ends have no effect. */
export class Charge {
  private readonly used: Amounts = {};
  private ended: Promise<void> | undefined;
  private agentId: number | undefined;
  private isOwedRecorded = false;
  /** What is to be noted next: of many notes in a row, only the last matters. */
  private noteToWrite: Hold | undefined;
  private isNoting = false;

  /**
   * `granted` settles with the hold, which may still be in progress. Nothing may be sent before; it rejects if the hold is
   * refused.
   */
  constructor(
    private readonly book: Pick<CreditBook, 'do' | 'doLater' | 'holdInTurn' | 'holdUpTo'>,
    private readonly held: HoldTerms,
    readonly granted: Promise<void> = Promise.resolve(),
  ) {
    granted.catch(() => undefined);
  }

  /**
   * What a turn is told of its charge. The turn extends the hold itself, and settles what it produced if its reader is gone, but
   * not under an Idempotency-Key: only the gateway knows whether this attempt pays for the key or for itself.
   */
  get payment(): Payment | undefined {
    const { id, tokens, reference } = this.held;
    const isOfAttempt = reference !== undefined;
    return tokens === undefined ? undefined : { chargeId: id, tokens, isSettledByTurn: !isOfAttempt, isOfAttempt };
  }

  /** Adds to the request's usage. Zero counts too: an answer that cost nothing also gets a line in the ledger. */
  use(kind: CreditKind, amount: number): void {
    if (!Number.isFinite(amount) || amount < 0) throw new RangeError(`${amount} is no amount of ${kind}`);
    this.used[kind] = (this.used[kind] ?? 0) + amount;
  }

  /** Sets the agent that the usage is booked under, once it is known. */
  ofAgent(agentId: number): void {
    this.agentId = agentId;
  }

  /** How much is held of the kind of which less than the estimate may be held; absent if there is none. */
  get partHeld(): Promise<number> | undefined {
    return this.held.partHeld;
  }

  /** Usage so far, of all kinds. */
  get total(): number {
    return totalOf(this.used);
  }

  /** Raises the hold to at least these amounts; CREDITS_EXHAUSTED if there is too little. */
  async extend(estimate: Amounts): Promise<void> {
    await this.granted;
    const raised = await this.book.holdInTurn({ ...this.holdOf(estimate, this.used), isRaise: true });
    if (raised.outcome === 'exhausted') throw exhausted(raised.kind, raised);
  }

  /** Raises the hold of one kind as far as the balance allows. Resolves to what may be used, which is never less than was held. */
  async extendUpTo(kind: CreditKind, { held, wanted }: { held: number; wanted: number }): Promise<number> {
    if (wanted <= held) return wanted;
    await this.granted;
    const raise: Hold = { ...this.holdOf({ [kind]: wanted }, this.used), isRaise: true, keepsHeld: true };
    const raised = await this.book.holdUpTo(raise, { kind, amountMin: held });
    return typeof raised === 'number' ? raised : held;
  }

  /**
   * Records what is owed so far, in case this process dies before it settles; `held` is what stays held, if more may be owed. Not
   * awaited.
   */
  recordOwed(owed: Amounts, held: Amounts = owed): void {
    if (this.ended) return;
    this.isOwedRecorded = true;
    this.noteToWrite = this.holdOf({ ...this.used, ...held }, { ...this.used, ...owed });
    if (!this.isNoting) this.granted.then(() => this.writeNotes()).catch(noOutcome);
  }

  private async writeNotes(): Promise<void> {
    if (this.isNoting) return;
    for (let note = this.noteToWrite; note && !this.ended; note = this.noteToWrite) {
      this.isNoting = true;
      this.noteToWrite = undefined;
      await this.book.do(note, holdPatienceMs).finally(() => (this.isNoting = false));
    }
  }

  /** Charges the usage and releases the rest. Resolves once that is durable, which is soon enough if the usage is noted elsewhere. */
  settle({ isSoonEnough = false } = {}): Promise<void> {
    const later = () => this.book.doLater(this.settlement(), settlePatienceMs);
    this.ended ??= this.ending(this.granted.then(() => (isSoonEnough && this.mayWait ? later() : this.settled())));
    return this.ended;
  }

  /**
   * Settles a turn that is on record under this charge's id. The hold stays until the ledger has its line: if this process dies, the sweeper
   * writes it. So the answer waits for no second commit, unless credits are short or another attempt under its key may follow.
   */
  async settleRecorded(): Promise<void> {
    if (!this.mayWait || this.ended) return this.settle();
    this.ended = this.settle({ isSoonEnough: true }).catch(noOutcome);
  }

  private get mayWait(): boolean {
    return this.held.isPlentiful === true && this.held.reference === undefined;
  }

  /**
   * Ends a request that failed or was abandoned: charges what it produced, or releases the hold if that is nothing. A retry under the same
   * Idempotency-Key pays for itself, unless this attempt was lost through our fault: a client that has to retry because of us pays once.
   */
  end({ isLost = false }: { isLost?: boolean } = {}): Promise<void> {
    if (creditKinds.every((kind) => !this.used[kind])) return this.release();
    this.ended ??= this.ending(this.granted.then(() => this.settled(!isLost)));
    return this.ended;
  }

  /** Leaves the hold to expire when the turn can no longer be stored: if it was, the sweeper finds its usage in its record. */
  leave(expiresAtMs: number): void {
    const hold: Hold = { ...this.holdOf(this.held.shared?.estimate ?? {}, {}), expiresAtMs, isRaise: true };
    this.ended ??= this.endingShare(this.book.do(hold, holdPatienceMs));
  }

  /** Gives the whole hold back, once the books can be written. Never fails: at worst the hold expires. */
  release(): Promise<void> {
    const { orgId, id } = this.held;
    const patienceMs = this.isOwedRecorded ? settlePatienceMs : releasePatienceMs;
    const release = { type: 'release', orgId, id, onlyExpired: false } as const;
    const released = async (): Promise<CreditOutcome> => {
      try {
        return await this.book.do(release, patienceMs);
      } catch (error) {
        this.book.doLater(release, laterPatienceMs).catch(noOutcome);
        throw error;
      }
    };
    this.ended ??= this.ending(this.granted.then(released)).catch(noOutcome);
    return this.ended;
  }

  private async ending(outcome: Promise<CreditOutcome>): Promise<void> {
    void this.endingShare(outcome);
    if (this.total > 0) this.held.onCharged?.();
    await Promise.all([outcome, this.held.onEnd?.(this.total)]);
  }

  /** If nothing could be written or held, only the common hold leads to what is owed. */
  private endingShare(ended: Promise<CreditOutcome>): Promise<void> {
    return ended.then(
      ({ outcome }) => this.held.shared?.end(outcome !== 'exhausted'),
      () => this.held.shared?.end(false),
    );
  }

  private holdOf(estimate: Amounts, used: Amounts): Hold {
    const { orgId, id, holdMs = holdMsUsual, reference } = this.held;
    return { type: 'hold', orgId, id, estimate, used, expiresAtMs: Date.now() + holdMs, ...(reference && { reference }) };
  }

  private settled(isFailure = false): Promise<CreditOutcome> {
    return this.book.do(this.settlement(isFailure), settlePatienceMs);
  }

  private settlement(isFailure = false): Settlement {
    const { orgId, id, spender, reference } = this.held;
    const { agentId = spender.agentId } = this;
    const named = reference === undefined ? {} : { reference, isFailure };
    return { type: 'settle', orgId, id, used: rounded(this.used), spender: { ...spender, agentId }, ...named };
  }
}

const noOutcome = (): void => undefined;
