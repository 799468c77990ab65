import { setTimeout as delay } from 'node:timers/promises';
import { Fault, readTurn, streamTurn, type TurnItem } from '@parley/contracts';
import { type Call, runInCall, type ServiceBus } from '@parley/messaging';
import type { Charge } from '../../credits/charge';
import type { ChatRequest } from './chat-request';

export type DoneItem = Extract<TurnItem, { type: 'done' }>;

const afterwardsMs = 15_000;
const askAgainMs = 1_000;

interface Asked {
  readonly chat: ChatRequest;
  readonly charge: Charge;
  /** By which way the question came; history and dashboards tell them apart. */
  readonly channel?: 'API' | 'WIDGET';
  /** Without the pieces of the answer. */
  readonly isWhole?: boolean;
}

/** A turn that has its session, on its way to the client, together with what it costs. */
export class ChatTurn {
  private constructor(
    private readonly bus: ServiceBus,
    private readonly call: Call,
    private readonly charge: Charge,
    private readonly items: AsyncIterator<TurnItem>,
    private readonly ids: { readonly sessionUUID: string; readonly turnUUID: string },
  ) {}

  /** Until here a refusal is still a proper answer; whoever begins a turn must read it to its end or say `left`. */
  static async begin(bus: ServiceBus, call: Call, { chat, charge, channel = 'API', isWhole = false }: Asked): Promise<ChatTurn> {
    const { question, audioFile, sampleRate, sessionUUID, AgentKeyID, language, variables, includeSources } = chat;
    const asked = audioFile ? { audio: { ...audioFile, sampleRate } } : { question };
    const body = { ...asked, sessionUUID, AgentKeyID, language, variables, includeSources, isWhole, channel };
    const items = runInCall(call, () => bus.stream(streamTurn, body))[Symbol.asyncIterator]();
    const first = runInCall(call, () => items.next());
    // The turn has begun beside the hold: what is not paid for ends here, before anybody hears of it.
    const [begun] = await Promise.all([first, charge.granted]).catch((failure: unknown) => {
      void items.return?.().catch(() => undefined);
      throw failure;
    });
    if (begun.done || begun.value.type !== 'session')
      throw new Fault('INTERNAL', { cause: new Error('a turn began without its session') });
    const { sessionUUID: opened, turnUUID } = begun.value;
    return new ChatTurn(bus, call, charge, items, { sessionUUID: opened, turnUUID });
  }

  get sessionUUID(): string {
    return this.ids.sessionUUID;
  }

  get isLeft(): boolean {
    return this.call.signal.aborted;
  }

  /** Everything after the session. The last item has been charged when it comes, unless the reader charges more. */
  async *rest({ settles = true } = {}): AsyncGenerator<TurnItem> {
    for (;;) {
      const next = await runInCall(this.call, () => this.items.next());
      if (next.done) return;
      if (next.value.type === 'done') this.use(next.value);
      if (next.value.type === 'done' && settles) await this.charge.settle();
      yield next.value;
    }
  }

  /** The client went away: the turn stops, and what it produced until then is charged. */
  async left(): Promise<void> {
    await this.items.return?.().catch(() => undefined);
    const { principal, requestId } = this.call;
    const deadlineAtMs = Date.now() + afterwardsMs;
    const call: Call = { requestId, deadlineAtMs, signal: AbortSignal.timeout(afterwardsMs), ...(principal && { principal }) };
    this.use(await this.produced(call));
    await this.charge.settle();
  }

  /** Asks again where the service was too busy to answer: when many leave at once, all ask at once. */
  private async produced(call: Call): Promise<Pick<DoneItem, 'tokenUsage' | 'audioSeconds'>> {
    for (;;) {
      try {
        return await runInCall(call, () => this.bus.ask(readTurn, this.ids));
      } catch (error) {
        const isBusy = error instanceof Fault && error.code === 'SERVICE_UNAVAILABLE' && !call.signal.aborted;
        if (!isBusy) throw error;
        await delay(askAgainMs);
      }
    }
  }

  private use({ tokenUsage, audioSeconds }: Pick<DoneItem, 'tokenUsage' | 'audioSeconds'>): void {
    this.charge.use('TTT_API', tokenUsage.totalTokens);
    if (audioSeconds > 0) this.charge.use('STT_API', audioSeconds);
  }
}
