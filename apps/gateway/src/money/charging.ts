import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Fault, type Principal } from '@parley/contracts';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { Charge, exhausted, isLost } from './charge';
import { CreditBook, CreditTerms } from './credit-book';
import { type Amounts, type Hold, type Spender, totalOf } from './operation';
import { type BudgetedWidget, WidgetBudgets } from './widget-budgets';

/** One request that costs credits. */
export interface Chargeable {
  readonly principal: Principal;
  /** The most that is likely to be used, in tokens, characters and audio seconds. Every kind or none is held. */
  readonly estimate: Amounts;
  readonly requestId: string;
  /**
   * The charge of the request's Idempotency-Key. Each attempt has a charge of its own; in the ledger an answer, or an attempt that we
   * lost, is a line of the key, which is charged once.
   */
  readonly chargeId?: string | undefined;
  readonly agentId?: number | undefined;
  readonly agentKeyId?: string | undefined;
  /** The widget whose visitor asks: its day pays beside the workspace, and RATE_LIMITED says that it cannot. */
  readonly visitorOf?: BudgetedWidget | undefined;
  /** Fails at once if others hold what is missing, instead of waiting for its release. */
  readonly isImpatient?: boolean;
}

const holdPatienceMs = 5_000;
/** If a hundred times the hold is left, a turn may cost this many holds before it asks for more. */
const plentifulTimes = 8;

/** Hold, route, settle or release: the one way by which anything at the door costs credits. */
export abstract class Charging {
  /** The hold for one answer of a language model, whose real length is unknown beforehand. */
  abstract readonly tokensPerTurn: number;

  /**
   * Begins to hold the estimate; if an account may have too little, this is awaited. Work started in parallel must show nothing
   * before `charge.granted`.
   */
  abstract begin(chargeable: Chargeable): Promise<Charge>;

  /** Holds the estimate, or refuses with CREDITS_EXHAUSTED. The charge must be settled or released; a lost one expires. */
  async open(chargeable: Chargeable): Promise<Charge> {
    const charge = await this.begin(chargeable);
    await charge.granted;
    return charge;
  }

  /**
   * Runs work between hold and settlement. Resolves when the ledger has its line, so that an answer may be sent; the work reports
   * its usage with `charge.use` as soon as it is known. If it fails, what was reported by then is charged and nothing else.
   */
  async run<T>(chargeable: Chargeable, work: (charge: Charge) => Promise<T>): Promise<T> {
    const charge = await this.open(chargeable);
    let result: T;
    try {
      result = await work(charge);
    } catch (error) {
      await charge.end({ isLost: isLost(error) });
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
    private readonly budgets: WidgetBudgets,
  ) {
    super();
    this.tokensPerTurn = terms.tokensPerTurn;
  }

  async begin({ principal, estimate, chargeId, visitorOf, isImpatient = false, ...rest }: Chargeable): Promise<Charge> {
    const { orgId, keyId } = principal;
    const id = randomUUID();
    if (visitorOf) await this.budgets.hold(visitorOf, id, totalOf(estimate));
    const onEnd = visitorOf && ((used: number) => this.budgets.end(orgId, id, used));
    const expiresAtMs = Date.now() + this.terms.holdMs;
    const key = chargeId === undefined ? { isNew: true } : { reference: chargeId };
    const hold: Hold = { type: 'hold', orgId, id, estimate, expiresAtMs, ...key };
    const granted = this.grant(hold, isImpatient);
    if (onEnd) granted.catch(() => onEnd(0));
    const isPlentiful = this.book.isPlentiful(orgId, estimate);
    if (!isPlentiful) await granted;
    const spender: Spender = { ...rest, keyId, agentId: rest.agentId ?? principal.agentId };
    const tokens = (estimate.TTT_API ?? 0) * (isPlentiful && !visitorOf ? plentifulTimes : 1);
    const held = { orgId, id, spender, holdMs: this.terms.holdMs, reference: chargeId, isPlentiful, tokens, onEnd };
    return new Charge(this.book, held, granted);
  }

  private async grant(hold: Hold, isImpatient: boolean): Promise<void> {
    const held = await (isImpatient ? this.book.do(hold, holdPatienceMs) : this.book.holdInTurn(hold));
    if (held.outcome === 'exhausted') throw exhausted(held.kind, held);
  }
}

const NamesAgent = z.object({ AgentKeyID: z.guid() });

/** What `Charging` must know of a request: who pays, for which agent, and under which Idempotency-Key. */
export function chargeableOf(request: FastifyRequest, estimate: Amounts): Chargeable {
  const { principal, id: requestId, chargeId, body } = request;
  if (!principal) throw new Fault('INTERNAL', { cause: new Error('a public route cannot charge') });
  const named = principal.kind === 'wsk' ? NamesAgent.safeParse(body).data : undefined;
  return { principal, estimate, requestId, chargeId, ...(named && { agentKeyId: named.AgentKeyID }) };
}

/** What is known of a question before the turn. */
interface PricedQuestion {
  readonly question?: string | undefined;
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
}

/** Tokens of question and variables included in every turn's hold. */
const usualTokens = 200;
/** Few languages have fewer letters to a token. */
const lettersPerToken = 2;

/** What to hold for a turn: the usual, and beside it what an unusually long question will at least take. */
export function turnTokens({ question = '', variables = {} }: PricedQuestion, tokensPerTurn: number): number {
  let letters = question.length;
  for (const [name, value] of Object.entries(variables)) letters += name.length + String(value).length;
  return tokensPerTurn + Math.max(0, Math.ceil(letters / lettersPerToken) - usualTokens);
}
