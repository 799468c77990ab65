import { randomUUID } from 'node:crypto';
import type { CreditKind } from '@parley/contracts';
import fc from 'fast-check';

/** Everything at the door that costs credits. */
export const ways = [
  'ttt',
  'chat',
  'chat stream',
  'chat stt',
  'chat stt stream',
  'chat tts',
  'tts',
  'stt',
  '/ws/sts',
  '/ws/widgetchat typed',
  '/ws/widgetchat spoken',
  '/ws/transcribe',
] as const;
type Way = (typeof ways)[number];

/**
 * How it ends. `gone`: the client hangs up before any part of the answer exists; `leave`: at a piece; `byte`: after reading this many
 * bytes; `stall`: it reads nothing; `failure`: of the provider; `lost`: the producing process is killed; `deadline`; `limit`: of an
 * answer's size; `crash`: the gateway is killed.
 */
export const ends = ['complete', 'gone', 'leave', 'byte', 'stall', 'failure', 'lost', 'deadline', 'limit'] as const;
type End = (typeof ends)[number] | 'crash';

/** One request or session, as it was drawn. */
export interface Plan {
  readonly way: Way;
  readonly end: End;
  /** Pieces of the answer: words, sound, seconds heard. */
  readonly pieces: number;
  /** At which of them the end comes. */
  readonly at: number;
  readonly bytes: number;
  /** In a chat that speaks, whether the end comes while it speaks and not while it thinks. */
  readonly isLate: boolean;
  /** Over HTTP, whether it is sent under an Idempotency-Key: then nobody stops what its client has left. */
  readonly isKeyed: boolean;
  /** Whether the client sends it again under its key after a crash: before the dead gateway's hold has expired, or after. */
  readonly returns: (typeof returns)[number];
  /** What a thousand units cost from when the service begins: what was admitted before costs a thousand. */
  readonly laterPrice: number;
}

const returns = ['never', 'early', 'late'] as const;

const laterPrice = fc.constantFrom(0, 1_000, 5_000);

/** Any way with any end. */
export function plans(end: fc.Arbitrary<End> = fc.constantFrom(...ends)): fc.Arbitrary<Plan> {
  const drawn = { way: fc.constantFrom(...ways), end, pieces: fc.integer({ min: 1, max: 8 }), bytes: fc.nat(3_000) };
  return fc
    .record({
      ...drawn,
      at: fc.nat(8),
      isLate: fc.boolean(),
      isKeyed: fc.boolean(),
      returns: fc.constantFrom(...returns),
      laterPrice,
    })
    .map((plan) => ({ ...plan, at: Math.min(plan.at, plan.pieces - 1) }));
}

/** The plans of one organization's services, and what they did. */
export class Scenario {
  readonly produced: Record<CreditKind, number> = { TTT_API: 0, TTS_API: 0, STT_API: 0 };
  /** The service is where the plan's end comes. */
  readonly reached = Promise.withResolvers<void>();
  /** The client has gone. */
  readonly left = Promise.withResolvers<void>();
  private readonly working = new Set<object>();

  /** The key of the client, once it has one. */
  apiKey: string | undefined;

  /** Done before the service produces anything. */
  onBegin: (() => Promise<void>) | undefined;

  constructor(
    readonly plan: Plan,
    readonly idempotencyKey = randomUUID(),
  ) {}

  /** The same request of the same client, answered. */
  again(): Scenario {
    const again = new Scenario({ ...this.plan, end: 'complete' }, this.idempotencyKey);
    again.apiKey = this.apiKey;
    return again;
  }

  produce(kind: CreditKind, units: number): void {
    this.produced[kind] += units;
  }

  /** From here on the service's work counts until the returned function is called. */
  work(): () => void {
    const work = {};
    this.working.add(work);
    return () => void this.working.delete(work);
  }

  get isIdle(): boolean {
    return this.working.size === 0;
  }
}
