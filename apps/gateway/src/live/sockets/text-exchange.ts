import { randomUUID } from 'node:crypto';
import { ChatBody, Fault, type Principal, streamTurn } from '@parley/contracts';
import type { Call, ServiceBus } from '@parley/messaging';
import { faultOf } from '../../door/faults';
import type { Charge } from '../../money/charge';
import { type Charging, turnTokens } from '../../money/charging';
import type { WidgetBudgets } from '../../money/widget-budgets';
import { ChatTurn } from '../chat/chat-turn';
import { type ClientSide, socketLimits } from './exchange';
import type { KnownSession } from './session-opener';
import type { Admitted } from './socket-admission';

interface Services {
  readonly bus: ServiceBus;
  readonly charging: Charging;
  readonly budgets: WidgetBudgets;
}

/** Typed questions, answered one after the other by text. Each is held, answered and charged as one of the chat endpoint is. */
export class TextExchange {
  private answering: Promise<void> = Promise.resolve();
  private waiting = 0;
  private turn = new AbortController();
  private isLeft = false;

  constructor(
    private readonly services: Services,
    private readonly client: ClientSide,
    private readonly admitted: Admitted,
    private readonly session: () => Promise<KnownSession>,
  ) {}

  ask(question: string): void {
    if (this.waiting > socketLimits.questionsMax) return this.client.complain(new Fault('SESSION_BUSY'));
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
      const tokens = turnTokens({ question, variables: session.variables }, this.services.charging.tokensPerTurn);
      await this.withinBudget(tokens, () => this.charged(question, session, tokens));
    } catch (error) {
      const fault = faultOf(error);
      if (fault.code === 'CREDITS_EXHAUSTED') this.client.fail(fault);
      else if (fault.code === 'CANCELLED') this.client.tell({ type: 'agent.interrupted', heardText: '', playedMs: 0 });
      else this.client.complain(fault);
    }
  }

  /** Sets the tokens aside from what the widget may use today; `work` answers how many it used. */
  private async withinBudget(tokens: number, work: () => Promise<Charge>): Promise<void> {
    const { budgets } = this.services;
    const { visitorOf } = this.admitted;
    if (!visitorOf) return void (await work());
    await budgets.take(visitorOf, tokens);
    let used = 0;
    try {
      used = (await work()).total;
    } finally {
      await budgets.correct(visitorOf, used - tokens);
    }
  }

  private async charged(question: string, session: KnownSession, tokens: number): Promise<Charge> {
    const { bus, charging } = this.services;
    const call = callFor(this.admitted.principal, this.turn.signal);
    const { principal, requestId } = call;
    const charge = await charging.begin({ principal, requestId, estimate: { TTT_API: tokens } });
    const chat = ChatBody.parse({ ...session, question, connectionType: 'ttt' });
    try {
      await this.pass(await ChatTurn.begin(bus, call, { chat, charge, channel: 'WIDGET' }));
    } catch (error) {
      const fault = faultOf(error);
      if (charge.total === 0 || fault.code === 'CREDITS_EXHAUSTED') throw error;
      // What failed half-way is paid and counted; the client hears why.
      this.client.complain(fault);
    } finally {
      // What was answered is settled by now; a charge ends once.
      await charge.end();
    }
    return charge;
  }

  private async pass(turn: ChatTurn): Promise<void> {
    let said = '';
    try {
      for await (const item of turn.rest()) {
        if (item.type === 'delta') {
          said += item.text;
          this.client.tell({ type: 'agent.delta', text: item.text });
        } else if (item.type === 'done') {
          const { turnUUID, answer, tokenUsage, latency } = item;
          this.client.tell({ type: 'agent.done', turnUUID, text: answer, usage: tokenUsage, latency });
          this.client.tell({ type: 'usage', usage: [{ kind: 'TTT_API', units: tokenUsage.totalTokens }] });
        }
      }
    } catch (error) {
      if (turn.isLeft) this.client.tell({ type: 'agent.interrupted', heardText: said, playedMs: 0 });
      await turn.stop();
      if (!turn.isLeft) throw error;
    }
  }
}

function callFor(principal: Principal, signal: AbortSignal): Call & { principal: Principal } {
  return { requestId: randomUUID(), principal, deadlineAtMs: Date.now() + streamTurn.timeoutMs, signal };
}
