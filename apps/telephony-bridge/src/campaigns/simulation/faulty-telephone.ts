import type { AttemptOutcome, AttemptClaim, Instant } from '../plan/campaign';
import type { CallUpdate, DialOrder, AttemptEnding, OrderState, Placing, Telephone } from '../plan/ports';
import type { RuleChecker } from './rule-checker';
import type { Chance, VirtualTime } from './virtual-time';

/** The shares of requests in which the telephone misbehaves. */
export interface TelephoneFaultRates {
  /** A request takes seconds, or longer than a lease. */
  readonly slow: number;
  /** A request fails, before or after it dialled. */
  readonly broken: number;
  readonly newsLost: number;
  readonly newsLate: number;
  readonly newsTwice: number;
  /** It never reports a call's outcome. */
  readonly forgetful: number;
}

/** The shares of what people do when they are called. */
export interface People {
  readonly answered: number;
  readonly machines: number;
  readonly busy: number;
  readonly failed: number;
  /** A share of those who answered. */
  readonly booking: number;
  readonly neverAgain: number;
}

export interface TelephoneParts {
  readonly time: VirtualTime;
  readonly chance: Chance;
  readonly checker: RuleChecker;
  readonly faultRates: TelephoneFaultRates;
  readonly people: People;
  readonly refusedCallers: ReadonlySet<string>;
  /** Between these instants every call fails. */
  readonly outage: { readonly from: Instant; readonly until: Instant };
  isHeld(claim: AttemptClaim): boolean;
  isListed(number: string): boolean;
  list(number: string): void;
  book(reference: string, at: Instant): void;
  tell(news: CallUpdate): void;
  conversationsMax(campaignId: number): number;
  creditsMax(campaignId: number): number;
}

interface LiveCall {
  readonly callId: string;
  readonly placedAt: Instant;
  isAnswered: boolean;
  ending: AttemptEnding | undefined;
}

const ringMs = { least: 2_000, most: 40_000 };
const talkMs = { least: 3_000, most: 120_000 };

/**
 * A telephone that replies late, twice or never, and the people it calls. It dials once per reference, while the claim is current.
 */
export class FaultyTelephone implements Telephone {
  private readonly calls = new Map<string, LiveCall>();
  private readonly talking = new Map<number, number>();

  constructor(private readonly parts: TelephoneParts) {}

  async place(order: DialOrder): Promise<Placing> {
    const { chance, faultRates, refusedCallers } = this.parts;
    await this.delay();
    if (chance.isLucky(faultRates.broken)) throw new Error('the request was lost');
    if (this.parts.isListed(order.contact.number)) return { kind: 'ENDED', ending: { outcome: 'DO_NOT_CALL' } };
    if (refusedCallers.has(order.from)) return { kind: 'CALLER_REFUSED' };
    if (this.calls.has(order.claim.reference) || !this.parts.isHeld(order.claim)) return { kind: 'NOT_PLACED' };
    const call = this.dial(order);
    await this.delay();
    if (chance.isLucky(faultRates.broken)) throw new Error('the answer was lost');
    return { kind: 'PLACED', callId: call.callId, placedAt: call.placedAt };
  }

  async ask({ reference }: AttemptClaim): Promise<OrderState> {
    const { chance, faultRates } = this.parts;
    await this.delay();
    if (chance.isLucky(faultRates.broken)) throw new Error('the question was lost');
    const call = this.calls.get(reference);
    if (hashOf(reference) < faultRates.forgetful) return { kind: 'CANNOT_TELL' };
    if (!call) return { kind: 'NEVER' };
    if (call.ending) return { kind: 'ENDED', ending: call.ending };
    const { callId, placedAt, isAnswered } = call;
    return { kind: 'LIVE', callId, placedAt, isAnswered };
  }

  private dial(order: DialOrder): LiveCall {
    const { time, checker, chance } = this.parts;
    checker.dialled(order);
    const { reference } = order.claim;
    const call: LiveCall = { callId: `call-${reference}`, placedAt: time.now(), isAnswered: false, ending: undefined };
    this.calls.set(reference, call);
    const outcome = this.outcome();
    time.after(chance.between(ringMs.least, ringMs.most), () => {
      if (outcome === 'ANSWERED' || outcome === 'VOICEMAIL') this.answer(order, call, outcome);
      else this.hangUp(order, call, outcome);
    });
    return call;
  }

  private answer(order: DialOrder, call: LiveCall, outcome: 'ANSWERED' | 'VOICEMAIL'): void {
    const { contact, claim } = order;
    const { chance, time, checker, people } = this.parts;
    const talking = this.talking.get(contact.campaignId) ?? 0;
    const isAbandoned = talking >= this.parts.conversationsMax(contact.campaignId);
    if (outcome === 'ANSWERED') checker.pickedUp(contact, isAbandoned);
    call.isAnswered = true;
    this.tell({ kind: 'ANSWERED', reference: claim.reference });
    if (isAbandoned) return this.hangUp(order, call, 'ABANDONED');
    this.talking.set(contact.campaignId, talking + 1);
    if (outcome === 'ANSWERED' && chance.isLucky(people.booking)) {
      this.parts.book(claim.reference, time.now() + chance.between(1, 30) * 3_600_000);
    }
    if (outcome === 'ANSWERED' && chance.isLucky(people.neverAgain)) this.parts.list(contact.number);
    time.after(chance.between(talkMs.least, talkMs.most), () => {
      this.talking.set(contact.campaignId, (this.talking.get(contact.campaignId) ?? 0) - 1);
      this.hangUp(order, call, outcome);
    });
  }

  private hangUp({ contact, claim }: DialOrder, call: LiveCall, outcome: AttemptOutcome): void {
    const credits = call.isAnswered ? this.parts.chance.between(1, this.parts.creditsMax(contact.campaignId)) : 0;
    call.ending = { outcome, credits };
    this.parts.checker.hungUp(contact, credits);
    this.tell({ kind: 'ENDED', reference: claim.reference, ending: call.ending });
  }

  private outcome(): AttemptOutcome {
    const { chance, people, outage, time } = this.parts;
    if (outage.from <= time.now() && time.now() < outage.until) return 'FAILED';
    const drawn = chance.next();
    if (drawn < people.answered) return 'ANSWERED';
    if (drawn < people.answered + people.machines) return 'VOICEMAIL';
    if (drawn < people.answered + people.machines + people.busy) return 'BUSY';
    return drawn < people.answered + people.machines + people.busy + people.failed ? 'FAILED' : 'NO_ANSWER';
  }

  private tell(news: CallUpdate): void {
    const { chance, faultRates, time } = this.parts;
    const times = chance.isLucky(faultRates.newsTwice) ? 2 : 1;
    for (let count = 0; count < times; count += 1) {
      if (chance.isLucky(faultRates.newsLost)) continue;
      const lateMs = chance.isLucky(faultRates.newsLate) ? chance.between(1_000, 600_000) : chance.between(10, 300);
      time.after(lateMs, () => this.parts.tell(news));
    }
  }

  private async delay(): Promise<void> {
    const { chance, faultRates, time } = this.parts;
    await time.wait(chance.isLucky(faultRates.slow) ? chance.between(1_000, 30_000) : chance.between(5, 200));
  }
}

/** A number from 0 to 1 that depends only on the reference. */
function hashOf(reference: string): number {
  let hash = 2_166_136_261;
  for (const letter of reference) hash = Math.imul(hash ^ letter.charCodeAt(0), 16_777_619);
  return (hash >>> 0) / 4_294_967_296;
}
