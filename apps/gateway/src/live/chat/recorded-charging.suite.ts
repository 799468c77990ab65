import { randomUUID } from 'node:crypto';
import type { CreditKind } from '@parley/contracts';
import { Charge, type Chargeable, Charging } from '../../money/charging';
import type { CreditOperation, Hold } from '../../money/operation';

/** Records holds, settlements and releases. */
export class RecordedCharging extends Charging {
  readonly tokensPerTurn = 1000;
  readonly operations: (Pick<CreditOperation, 'type'> & { used?: object; estimate?: object; isFailure?: boolean })[] = [];
  /** The usage noted in case the gateway dies. A slow machine notes more often. */
  readonly noted: object[] = [];
  /** Until when the latest of these holds stays. */
  expiresAtMs: number | undefined;
  /** The tokens that turns are told they may spend; undefined if there is no limit. */
  tokens: number | undefined;
  /** The charge of an Idempotency-Key that what is charged next is an attempt of. */
  reference: string | undefined;
  /** The agents that settlements were booked under. */
  readonly agents: (number | undefined)[] = [];
  /** The outcome of the next holds. */
  granted = Promise.resolve();
  private ended = Promise.withResolvers<void>();

  ofTurn(): never {
    throw new Error('a chat has no turns of live sessions');
  }

  async begin({ estimate }: Chargeable): Promise<Charge> {
    this.operations.push({ type: 'hold', estimate });
    const done = async (operation: CreditOperation) => {
      const { isFailure } = operation.type === 'settle' ? operation : {};
      const used = operation.type === 'settle' ? { used: operation.used, ...(isFailure !== undefined && { isFailure }) } : {};
      this.operations.push({ type: operation.type, ...used });
      if (operation.type === 'settle') this.agents.push(operation.spender.agentId);
      this.ended.resolve();
      return { outcome: 'done' as const };
    };
    const { reference } = this;
    const held = {
      orgId: 7,
      id: randomUUID(),
      spender: {},
      reference,
      ...(this.tokens !== undefined && { tokens: this.tokens }),
    };
    const doOrNote = async (operation: CreditOperation) => {
      if (operation.type !== 'hold') return done(operation);
      this.noted.push({ ...operation.used });
      this.expiresAtMs = operation.expiresAtMs;
      return { outcome: 'done' as const };
    };
    const holdUpTo = async (hold: Hold, { kind }: { kind: CreditKind }) => {
      await done(hold);
      return hold.estimate[kind] ?? 0;
    };
    return new Charge({ do: doOrNote, doLater: done, holdInTurn: done, holdUpTo }, held, this.granted);
  }

  /** Resolves once a charge has been settled or released. */
  end(): Promise<void> {
    return this.ended.promise;
  }

  empty(): void {
    this.operations.length = 0;
    this.tokens = undefined;
    this.reference = undefined;
    this.agents.length = 0;
    this.noted.length = 0;
    this.granted = Promise.resolve();
    this.ended = Promise.withResolvers();
  }
}
