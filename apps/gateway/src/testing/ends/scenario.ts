import { randomUUID } from 'node:crypto';
import { type CreditKind, creditKinds } from '@parley/contracts';
import fc from 'fast-check';

/** Every way to spend credits at the gateway. */
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
 * How it ends. `sending`: the client disconnects within its request; `gone`: before any part of the answer exists; `leave`: at a
 * piece; `byte`: after reading this many bytes; `stall`: it reads nothing; `failure`: the provider fails; `lost`: the producing process is killed; `fault`, `stored
 * fault`: the conversation service answers with an unforeseen failure, before or after its record; `deadline`;
 * `limit`: the answer is too large; `crash`: the gateway is killed; `late`: the time of the request passes, at both sides, while the
 * service is at a piece.
 */
export const ends = [
  ...(['complete', 'sending', 'gone', 'leave', 'byte', 'stall', 'failure', 'lost', 'fault', 'stored fault', 'deadline'] as const),
  'limit',
] as const;
type End = (typeof ends)[number] | 'crash' | 'late';

/** One request or session, as generated. */
export interface Plan {
  readonly way: Way;
  readonly end: End;
  /** Pieces of the answer: words, pieces of sound, or seconds heard. */
  readonly pieces: number;
  /** The piece at which the end happens. */
  readonly at: number;
  /** Of the answer, or of the request where it is cut off there. */
  readonly bytes: number;
  /**
   * In a chat that speaks: whether the end happens during speech, or before while the answer is produced. In one that hears: whether
   * it is the model that fails, or before it the recognizer.
   */
  readonly isLate: boolean;
  /** In a voice session: the engine that fails, which is named by what it costs. The others continue until the session ends. */
  readonly engine: CreditKind;
  /** Over HTTP: whether it is sent with an Idempotency-Key, so that it continues after its client left. */
  readonly isKeyed: boolean;
  /** Whether the client repeats it with its key after a crash: before the dead gateway's hold has expired, or after. */
  readonly returns: (typeof returns)[number];
  /** The price of a thousand units once the service has begun. What was admitted before costs a thousand. */
  readonly laterPrice: number;
}

const returns = ['never', 'early', 'late'] as const;

const laterPrice = fc.constantFrom(0, 1_000, 5_000);

/** The length of a piece of sound. */
export const partBytes = 30_000;
const textBytes = 800;

/** How much a client that stays is sent, or sends itself in a plan that ends there; for text about as much. */
export function bytesOf({ way, end, pieces }: Pick<Plan, 'way' | 'end' | 'pieces'>): number {
  if (end === 'sending') return way.startsWith('chat stt') ? 64_000 : 100;
  return way === 'tts' || way === 'chat tts' ? pieces * partBytes : textBytes;
}

/** A socket carries no request that could be cut off, and only some ways ask the conversation service themselves. */
export const canEnd = (way: Way, end: End): boolean => {
  if (end === 'fault' || end === 'stored fault') return way === 'ttt' || way.startsWith('chat') || way === '/ws/widgetchat typed';
  return end !== 'sending' || !way.startsWith('/ws/');
};

/** Any request with any end. */
export function plans(end: fc.Arbitrary<End> = fc.constantFrom(...ends)): fc.Arbitrary<Plan> {
  const drawn = {
    way: fc.constantFrom(...ways),
    end,
    pieces: fc.integer({ min: 1, max: 8 }),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
  };
  return fc
    .record({
      ...drawn,
      at: fc.nat(8),
      isLate: fc.boolean(),
      engine: fc.constantFrom(...creditKinds),
      isKeyed: fc.boolean(),
      returns: fc.constantFrom(...returns),
      laterPrice,
    })
    .filter(({ way, end: drawnEnd }) => canEnd(way, drawnEnd))
    .map(({ share, ...plan }) => ({
      ...plan,
      at: Math.min(plan.at, plan.pieces - 1),
      bytes: Math.floor(share * bytesOf(plan)),
    }));
}

/** What a client was answered: the code of the fault in it, if any, and whether all of it arrived. */
interface Answer {
  readonly code: string | undefined;
  readonly isWhole: boolean;
}

/** Said by a platform whose machine stalls, to whatever is asked. */
const forNow: readonly unknown[] = ['SERVICE_UNAVAILABLE', 'DEADLINE_EXCEEDED', 'REQUEST_TIMEOUT'];

/** The plan of one organization's requests, and what the services produced. */
export class Scenario {
  readonly produced: Record<CreditKind, number> = { TTT_API: 0, TTS_API: 0, STT_API: 0 };
  /** Resolves when the service has reached the planned end. */
  readonly reached = Promise.withResolvers<void>();
  /** Resolves when the client has left. */
  readonly left = Promise.withResolvers<void>();
  private readonly working = new Set<object>();

  /** Unless the client left before. */
  answer: Answer | undefined;

  /** Whether the service has come to the planned end. */
  hasComeToEnd = false;

  /** The client's key, once it has one. */
  apiKey: string | undefined;

  /** Whether the engine of its session has failed for good. */
  isBroken = false;

  /** Whether a turn's hold has to expire, because what it used was lost with its line. */
  leavesHold = false;

  /** Runs before the service produces anything. */
  onBegin: (() => Promise<void>) | undefined;

  constructor(
    readonly plan: Plan,
    readonly idempotencyKey = randomUUID(),
  ) {}

  /** The same request from the same client, this time answered. */
  again(): Scenario {
    const again = new Scenario({ ...this.plan, end: 'complete' }, this.idempotencyKey);
    again.apiKey = this.apiKey;
    return again;
  }

  produce(kind: CreditKind, units: number): void {
    this.produced[kind] += units;
  }

  /** The service is busy until the returned function is called. */
  work(): () => void {
    const work = {};
    this.working.add(work);
    return () => void this.working.delete(work);
  }

  get isIdle(): boolean {
    return this.working.size === 0;
  }

  /** The code of the fault that a client was told, or `CUT` if its answer had begun and was cut off. */
  get told(): string | undefined {
    return this.answer?.code ?? (this.answer?.isWhole === false ? 'CUT' : undefined);
  }

  /** Whether it ended in the planned way, and not by a refusal, which costs nothing and looks like an answer that cost nothing. */
  get isAsPlanned(): boolean {
    const { end } = this.plan;
    if (end === 'sending' || this.hasComeToEnd) return true;
    if (!this.answer || this.answer.code !== undefined) return false;
    return end === 'byte' || (end === 'complete' && this.answer.isWhole);
  }

  /** Whether it may succeed in a moment. */
  get isRefusedForNow(): boolean {
    return !this.isAsPlanned && forNow.includes(this.answer?.code);
  }
}
