import { randomUUID } from 'node:crypto';
import { ChatBody, Fault, type Principal, streamTurn } from '@parley/contracts';
import type { Call, ServiceBus } from '@parley/messaging';
import type { Charging } from '../credits/charging';
import { faultOf } from '../faults/fault-of';
import { ChatTurn } from '../streaming/chat/chat-turn';
import { socketLimits } from './socket-limits';
import type { Stage } from './talk';

/** Whose typed questions these are. */
export interface TypedSession {
  readonly principal: Principal;
  readonly sessionUUID: string;
  readonly language?: string | undefined;
  readonly variables?: Record<string, unknown> | undefined;
}

/** Typed questions, answered one after the other by text. Each is held, answered and charged as one of the chat endpoint is. */
export class TypedTalk {
  private answering: Promise<void> = Promise.resolve();
  private waiting = 0;
  private turn = new AbortController();
  private isLeft = false;

  constructor(
    private readonly services: { readonly bus: ServiceBus; readonly charging: Charging },
    private readonly stage: Stage,
    private readonly session: () => Promise<TypedSession>,
  ) {}

  ask(question: string): void {
    if (this.waiting > socketLimits.questionsMax) return this.stage.complain(new Fault('SESSION_BUSY'));
    this.waiting += 1;
    this.answering = this.answering.then(() => this.answer(question)).finally(() => (this.waiting -= 1));
  }

  /** Stops the answer that is being given, if any. */
  interrupt(): void {
    this.turn.abort(new Fault('CANCELLED'));
  }

  /** Resolves when nothing is being answered and everything is paid. */
  async leave(): Promise<void> {
    this.isLeft = true;
    this.interrupt();
    await this.answering;
  }

  private async answer(question: string): Promise<void> {
    if (this.isLeft) return;
    this.turn = new AbortController();
    try {
      const session = await this.session();
      const call = callFor(session.principal, this.turn.signal);
      const { principal, requestId } = call;
      const estimate = { TTT_API: this.services.charging.tokensPerTurn };
      const charge = await this.services.charging.begin({ principal, requestId, estimate });
      const chat = ChatBody.parse({ ...session, question, connectionType: 'ttt' });
      const asked = { chat, charge, channel: 'WIDGET' } as const;
      try {
        await this.pass(await ChatTurn.begin(this.services.bus, call, asked));
      } finally {
        // What was answered is settled by now; a charge ends once.
        await charge.release();
      }
    } catch (error) {
      const fault = faultOf(error);
      if (fault.code === 'CREDITS_EXHAUSTED') this.stage.fail(fault);
      else if (fault.code === 'CANCELLED') this.stage.tell({ type: 'agent.interrupted', heardText: '', playedMs: 0 });
      else this.stage.complain(fault);
    }
  }

  private async pass(turn: ChatTurn): Promise<void> {
    let said = '';
    try {
      for await (const item of turn.rest()) {
        if (item.type === 'delta') {
          said += item.text;
          this.stage.tell({ type: 'agent.delta', text: item.text });
        } else if (item.type === 'done') {
          const { turnUUID, answer, tokenUsage, latency } = item;
          this.stage.tell({ type: 'agent.done', turnUUID, text: answer, usage: tokenUsage, latency });
          this.stage.tell({ type: 'usage', usage: [{ kind: 'TTT_API', units: tokenUsage.totalTokens }] });
        }
      }
    } catch (error) {
      if (!turn.isLeft) throw error;
      this.stage.tell({ type: 'agent.interrupted', heardText: said, playedMs: 0 });
      await turn.left();
    }
  }
}

function callFor(principal: Principal, signal: AbortSignal): Call & { principal: Principal } {
  return { requestId: randomUUID(), principal, deadlineAtMs: Date.now() + streamTurn.timeoutMs, signal };
}
