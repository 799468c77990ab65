import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type CreditKind, Fault, type Principal } from '@parley/contracts';
import { Charge } from './charge';
import { CreditBook, CreditTerms } from './credit-book';
import type { Amounts, Hold, Spender } from './operation';

/** One request that costs credits. */
export interface Chargeable {
  readonly principal: Principal;
  /** The most that is likely to be used, in tokens, characters and audio seconds. Every kind or none is held. */
  readonly estimate: Amounts;
  readonly requestId: string;
  /** The charge of the request's Idempotency-Key: under one id nothing is charged twice, not even after a crash. */
  readonly chargeId?: string | undefined;
  readonly agentId?: number | undefined;
  readonly agentKeyId?: string | undefined;
}

const holdPatienceMs = 5_000;

/** Hold, route, settle or release: the one way by which anything at the door costs credits. */
export abstract class Charging {
  /** What is held for one answer of a language model, whose real length nobody knows before. */
  abstract readonly tokensPerTurn: number;

  /**
   * Begins to hold the estimate; an account that may have too little is waited for. Whoever starts work beside the hold shows
   * nothing of it before `charge.granted`.
   */
  abstract begin(chargeable: Chargeable): Promise<Charge>;

  /** Holds the estimate, or refuses with CREDITS_EXHAUSTED. The charge must be settled or released; a lost one expires. */
  async open(chargeable: Chargeable): Promise<Charge> {
    const charge = await this.begin(chargeable);
    await charge.granted;
    return charge;
  }

  /**
   * Runs work between hold and settlement. Resolves when the ledger has its line, so that an answer may leave; work says
   * by `charge.use` what it used. Should it fail, nothing is charged, unless the client went away: then what was used is.
   */
  async run<T>(chargeable: Chargeable, work: (charge: Charge) => Promise<T>): Promise<T> {
    const charge = await this.open(chargeable);
    let result: T;
    try {
      result = await work(charge);
    } catch (error) {
      if (error instanceof Fault && error.code === 'CANCELLED') await charge.settle();
      else await charge.release();
      throw error;
    }
    await charge.settle();
    return result;
  }
}

/** Charging by the credit book. */
@Injectable()
export class CreditCharging extends Charging {
  readonly tokensPerTurn: number;

  constructor(
    private readonly book: CreditBook,
    private readonly terms: CreditTerms,
  ) {
    super();
    this.tokensPerTurn = terms.tokensPerTurn;
  }

  async begin({ principal, estimate, chargeId, ...rest }: Chargeable): Promise<Charge> {
    const { orgId, keyId } = principal;
    const id = chargeId ?? randomUUID();
    const granted = this.grant({ type: 'hold', orgId, id, estimate, expiresAtMs: Date.now() + this.terms.holdMs, isNew: !chargeId });
    if (!this.book.isPlentiful(orgId, estimate)) await granted;
    const spender: Spender = { ...rest, keyId, agentId: rest.agentId ?? principal.agentId };
    return new Charge(this.book, { orgId, id, spender }, granted);
  }

  private async grant(hold: Hold): Promise<void> {
    const held = await this.book.do(hold, holdPatienceMs);
    if (held.outcome === 'exhausted') throw exhausted(held.kind, held);
  }
}

const unitNames: Record<CreditKind, string> = { TTT_API: 'tokens', TTS_API: 'characters', STT_API: 'audio seconds' };

function exhausted(kind: CreditKind, { available, needed }: { available: number; needed: number }): Fault {
  return new Fault('CREDITS_EXHAUSTED', {
    message: `This needs ${needed} ${kind} credits (${unitNames[kind]}); the workspace has ${available} left.`,
  });
}
