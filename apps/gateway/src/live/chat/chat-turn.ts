import { setTimeout as delay } from 'node:timers/promises';
import { Fault, isOurFault, readTurn, SeenUsage, streamTurn, type TurnItem } from '@parley/contracts';
import { type Call, runInCall, type ServiceBus } from '@parley/messaging';
import type { Charge } from '../../money/charging';
import { isLostForGood } from '../../money/operation';
import { event, keepAlive, keepAliveMs, silence, withSilences } from '../event-streams';
import type { ChatRequest } from './chat-request';

export type DoneItem = Extract<TurnItem, { type: 'done' }>;

const afterwardsMs = 15_000;
/** How long after its deadline the end of a turn may still be stored, with Postgres away meanwhile. */
const storingMsMax = 30_000;
const askAgainMs = 1_000;
const noteEveryMs = 3_000;

interface TurnQuestion {
  readonly chat: ChatRequest;
  readonly charge: Charge;
  /** How the question arrived; history and dashboards distinguish the channels. */
  readonly channel?: 'API' | 'WIDGET';
  /** The answer is sent as a whole, without its pieces. */
  readonly isWhole?: boolean;
}

type Produced = Pick<DoneItem, 'tokenUsage' | 'audioSeconds'>;

/** A turn on its way to the client, with its session and its charge. */
export class ChatTurn {
  private readonly seen = new SeenUsage();
  private notedAtMs = performance.now();

  private constructor(
    private readonly bus: ServiceBus,
    private readonly call: Call,
    private readonly charge: Charge,
    private readonly items: AsyncIterator<TurnItem>,
    private readonly ids: { readonly sessionUUID: string; readonly turnUUID: string },
    /** The turn is stored only when it ends; until then it cannot be looked up. */
    private readonly isStoredAtItsEnd: boolean,
    private readonly isWhole: boolean,
  ) {}

  /** Until this resolves, a refusal can still be a proper HTTP answer. After it, read the turn to its end or call `stop`. */
  static async begin(
    bus: ServiceBus,
    call: Call,
    { chat, charge, channel = 'API', isWhole = false }: TurnQuestion,
  ): Promise<ChatTurn> {
    const { question, audioFile, sampleRate, sessionUUID, AgentKeyID, language, variables, includeSources } = chat;
    const input = audioFile ? { audio: { ...audioFile, sampleRate } } : { question };
    const { payment } = charge;
    const about = { sessionUUID, AgentKeyID, language, variables, includeSources, isWhole, channel };
    const body = { ...input, ...about, ...(payment && { payment }) };
    const items = runInCall(call, () => bus.stream(streamTurn, body))[Symbol.asyncIterator]();
    const first = runInCall(call, () => items.next());
    // The turn started in parallel with the hold: if that fails, the turn ends here, before anything is sent.
    const [begun] = await Promise.all([first, charge.granted]).catch((failure: unknown) => {
      void items.return?.().catch(() => undefined);
      throw failure;
    });
    if (begun.done || begun.value.type !== 'session')
      throw new Fault('INTERNAL', { cause: new Error('a turn began without its session') });
    const { sessionUUID: opened, turnUUID, AgentID } = begun.value;
    if (AgentID) charge.ofAgent(AgentID);
    const isStoredAtItsEnd = isWhole && !audioFile && !sessionUUID && payment?.isSettledByTurn === true;
    return new ChatTurn(bus, call, charge, items, { sessionUUID: opened, turnUUID }, isStoredAtItsEnd, isWhole);
  }

  get sessionUUID(): string {
    return this.ids.sessionUUID;
  }

  get isLeft(): boolean {
    return this.call.signal.aborted;
  }

  /** Everything after the session. When the last item arrives its charge is certain, unless the reader settles it itself. */
  async *rest({ settles = true } = {}): AsyncGenerator<TurnItem> {
    for (;;) {
      const next = await runInCall(this.call, () => this.items.next());
      if (next.done) return;
      // If a whole answer is lost, the client has none of it and asks again.
      if (!this.isWhole) this.see(next.value);
      if (next.value.type === 'done') this.use(next.value);
      if (next.value.type === 'done' && settles) await this.charge.settleRecorded();
      yield next.value;
    }
  }

  /** Recorded in the hold every few seconds: if this gateway and the turn's service both die, only the last seconds go uncharged. */
  private see(item: TurnItem): void {
    this.seen.note(item);
    if (item.type !== 'delta' || performance.now() - this.notedAtMs < noteEveryMs) return;
    this.notedAtMs = performance.now();
    const { tokenUsage, audioSeconds } = this.seen;
    this.charge.recordOwed({ TTT_API: tokenUsage.totalTokens, ...(audioSeconds > 0 && { STT_API: audioSeconds }) });
  }

  /**
   * Stops a turn that ended without its last item, because its client left, it failed, timed out or exceeded a limit; charges
   * what it produced. A whole answer that we lost is free: without an Idempotency-Key its client can never have it.
   */
  async stop(error?: unknown): Promise<void> {
    await this.items.return?.().catch(() => undefined);
    if (this.isWhole && isLostForGood(error, this.charge)) return this.charge.release();
    const { principal, requestId } = this.call;
    const deadlineAtMs = Date.now() + afterwardsMs;
    const call: Call = { requestId, deadlineAtMs, signal: AbortSignal.timeout(afterwardsMs), ...(principal && { principal }) };
    const produced = await this.produced(call);
    if (produced === 'UNKNOWN') return this.charge.leave(Math.max(this.call.deadlineAtMs, Date.now()) + storingMsMax);
    this.use(produced);
    await this.charge.end({ isLost: isOurFault(error) });
  }

  /**
   * What the turn produced according to its record, or, if its service died before writing one, according to what this gateway
   * saw. A turn that is stored at its end may not be stored yet when another replica is asked.
   */
  private async produced(call: Call): Promise<Produced | 'UNKNOWN'> {
    try {
      const { status, ...recorded } = await this.recorded(call);
      if (status !== 'RUNNING' && status !== 'LOST') return recorded;
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      if (error.code === 'NOT_FOUND' && this.isStoredAtItsEnd) return 'UNKNOWN';
    }
    return this.seen;
  }

  /** Retries while the service is too busy: when many clients leave at once, their turns all ask at once. */
  private async recorded(call: Call) {
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

  private use({ tokenUsage, audioSeconds }: Produced): void {
    this.charge.use('TTT_API', tokenUsage.totalTokens);
    if (audioSeconds > 0) this.charge.use('STT_API', audioSeconds);
  }
}

/** The synchronous reply, and also the last event of a stream. */
export function chatReply({ transcription, answer, sessionUUID, detectedLanguage, tokenUsage, sources }: DoneItem): object {
  const heard = transcription === undefined ? {} : { transcription };
  const shown = sources === undefined ? {} : { sources };
  return { statusCode: 200, ...heard, answer, sessionUUID, detectedLanguage, tokenUsage, ...shown };
}

interface StreamEnding {
  /** The turn failed after its first event was sent; returns the data of the last event. */
  onFailure(error: unknown): Promise<object>;
  /** The turn has ended for this client, for whatever reason. */
  onEnd(): Promise<void>;
}

/** A turn as server-sent events. If the client stops reading, the turn ends. */
export async function* chatEvents(turn: ChatTurn, { onFailure, onEnd }: StreamEnding): AsyncGenerator<string> {
  let isOver = false;
  try {
    yield event('session', { sessionUUID: turn.sessionUUID });
    for await (const item of withSilences(turn.rest(), keepAliveMs)) {
      isOver ||= item !== silence && item.type === 'done';
      yield item === silence ? keepAlive : eventOf(item);
    }
  } catch (error) {
    if (!turn.isLeft) {
      isOver = true;
      await turn.stop(error);
      yield event('error', await onFailure(error));
    }
  } finally {
    if (!isOver) await turn.stop();
    await onEnd();
  }
}

function eventOf(item: TurnItem): string {
  switch (item.type) {
    case 'session':
      return event('session', { sessionUUID: item.sessionUUID });
    case 'transcription':
    case 'delta':
      return event(item.type, { text: item.text });
    case 'done':
      return event('done', chatReply(item));
  }
}

/** What is known about the price of a question before its turn. */
interface PricedQuestion {
  readonly question?: string | undefined;
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
}

/** Tokens for question and variables that every turn's hold includes. */
const usualTokens = 200;
/** Few languages have fewer letters per token. */
const lettersPerTokenMin = 2;

/** How many tokens to hold for a turn: the usual number, and what an unusually long question needs on top. */
export function turnTokens({ question = '', variables = {} }: PricedQuestion, tokensPerTurn: number): number {
  let letters = question.length;
  for (const [name, value] of Object.entries(variables)) letters += name.length + String(value).length;
  return tokensPerTurn + Math.max(0, Math.ceil(letters / lettersPerTokenMin) - usualTokens);
}
