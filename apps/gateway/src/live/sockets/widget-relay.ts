import { randomUUID } from 'node:crypto';
import { ChatBody, endSession, Fault, type Principal, type ServerFrame, socketCloseCodes, streamTurn } from '@parley/contracts';
import type { Call, ServiceBus } from '@parley/messaging';
import { faultOf } from '../../door/faults';
import type { Charging } from '../../money/charging';
import { ChatTurn, turnTokens } from '../chat/chat-turn';
import { type ClientSide, type Relay, type SessionFrame, type SessionStart, socketLimits } from './relay';
import type { KnownSession, SessionOpener } from './session-opener';
import type { Admitted } from './socket-admission';
import type { VoiceRelay } from './voice-relay';

interface Begun {
  readonly start: SessionStart;
  readonly typed: TextRelay;
  session(): Promise<KnownSession>;
}

const noDigits = 'Digits count only while sound is sent.';

/**
 * Relays the chat and voice of one visitor in one conversation. Until the visitor's first sound, typed questions go directly to the
 * conversation service: most visitors never speak, so they should neither occupy a speech session nor depend on its credits or
 * availability, and the agent should not speak unheard. From the first sound on, everything goes through the speech service, which
 * answers aloud and can be interrupted, also by typing.
 */
export class WidgetRelay implements Relay {
  private begun: Begun | undefined;
  private spoken: VoiceRelay | undefined;
  private isLeft = false;

  constructor(
    private readonly opener: SessionOpener,
    private readonly admitted: Admitted,
    private readonly client: ClientSide,
  ) {}

  async begin(start: SessionStart): Promise<ServerFrame> {
    const known = this.opener.session(this.admitted, start, 'WIDGET');
    const session = () => known;
    this.begun = { session, start, typed: new TextRelay(this.opener, this.client, this.admitted, session) };
    const { sessionUUID } = await known;
    return { type: 'session.ready', sessionUUID, sampleRate: start.sampleRate, encoding: start.encoding };
  }

  sound(bytes: Uint8Array): void {
    this.spoken ??= this.startSpeaking();
    this.spoken?.sound(bytes);
  }

  frame(frame: SessionFrame): void {
    if (this.spoken) return this.spoken.frame(frame);
    if (frame.type === 'text') this.begun?.typed.ask(frame.text);
    else if (frame.type === 'interrupt') this.begun?.typed.interrupt();
    else if (frame.type === 'dtmf') this.client.complain(new Fault('VALIDATION_FAILED', { message: noDigits }));
  }

  end(): void {
    if (this.spoken) this.spoken.end();
    else void this.endTyped();
  }

  whenQuiet(then: () => void): void {
    if (this.spoken) this.spoken.whenQuiet(then);
    else if (this.begun) this.begun.typed.whenQuiet(then);
    else then();
  }

  async leave(reason: string): Promise<void> {
    this.isLeft = true;
    await Promise.all([this.spoken?.leave(reason), this.begun?.typed.leave()]);
  }

  private startSpeaking(): VoiceRelay | undefined {
    const { begun, admitted, client } = this;
    if (!begun || this.isLeft) return undefined;
    const { session, start, typed } = begun;
    const spoken = this.opener.spoken(admitted, client, 'WIDGET', session);
    // An answer is either sent as text from here or spoken by the speech service, never both at once.
    typed.interrupt();
    void spoken.begin(start).catch((error: unknown) => client.fail(faultOf(error)));
    return spoken;
  }

  private async endTyped(): Promise<void> {
    const { begun } = this;
    await begun?.typed.leave();
    if (begun) await this.tellEnd(begun);
    this.client.tell({ type: 'session.ended', reason: 'ENDED_BY_USER' });
    this.client.close({ code: socketCloseCodes.ended, reason: 'ENDED_BY_USER' });
  }

  /** Ends the conversation. If this fails, the idle sweep ends it later. */
  private async tellEnd({ session }: Begun): Promise<void> {
    try {
      const { sessionUUID } = await session();
      await this.opener.asking(this.admitted, (bus) => bus.ask(endSession, { sessionUUID, reason: 'ENDED_BY_USER' }));
    } catch (error) {
      this.client.complain(faultOf(error));
    }
  }
}

interface Services {
  readonly bus: ServiceBus;
  readonly charging: Charging;
}

/** Answers typed questions by text, one after the other. Each is held, answered and charged like one of the chat endpoint. */
class TextRelay {
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

  /** Stops the current answer, if any. */
  interrupt(): void {
    this.turn.abort(new Fault('CANCELLED'));
  }

  whenQuiet(then: () => void): void {
    if (this.waiting === 0) then();
    else void this.answering.finally(then);
  }

  /** Resolves once no answer is in progress and everything is paid. */
  async leave(): Promise<void> {
    this.isLeft = true;
    this.interrupt();
    await this.answering;
  }

  private async answer(question: string): Promise<void> {
    if (this.isLeft) return this.client.warn('TEXT_IGNORED');
    this.turn = new AbortController();
    try {
      const session = await this.session();
      await this.charged(question, session);
    } catch (error) {
      const fault = faultOf(error);
      if (fault.code === 'CREDITS_EXHAUSTED') this.client.fail(fault);
      else if (fault.code === 'CANCELLED') this.client.tell({ type: 'agent.interrupted', heardText: '', playedMs: 0 });
      else this.client.complain(fault);
    }
  }

  private async charged(question: string, session: KnownSession): Promise<void> {
    const { bus, charging } = this.services;
    const { visitorOf } = this.admitted;
    const call = callFor(this.admitted.principal, this.turn.signal);
    const { principal, requestId } = call;
    const TTT_API = turnTokens({ question, variables: session.variables }, charging.tokensPerTurn);
    const charge = await charging.begin({ principal, requestId, visitorOf, estimate: { TTT_API } });
    const chat = ChatBody.parse({ ...session, question, connectionType: 'ttt' });
    try {
      await this.pass(await ChatTurn.begin(bus, call, { chat, charge, channel: 'WIDGET' }));
    } catch (error) {
      const fault = faultOf(error);
      if (charge.total === 0 || fault.code === 'CREDITS_EXHAUSTED') throw error;
      // An answer that failed midway is charged and counted; the client gets the reason.
      this.client.complain(fault);
    } finally {
      // The answer is settled by now; ending a charge twice has no effect.
      await charge.end();
    }
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
