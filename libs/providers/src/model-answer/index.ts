import { Fault } from '@parley/contracts';
import { type FinishReason, type ModelEvent, type ModelUsage, ProviderFailure } from '@parley/ports';
import { z } from 'zod';
import { kindOfStatus } from '../provider-http';

const Metadata = z.object({
  finish_reason: z.string().nullish(),
  stop_reason: z.string().nullish(),
  // Google's is in capitals; a lower-case "stop" is invented by its client if it cannot read the stream.
  finishReason: z
    .string()
    .regex(/^[A-Z_]+$/)
    .nullish(),
  reasoning_content: z.string().nullish().catch(undefined),
});

/** The providers' names of finish reasons. */
const reasons: Record<string, FinishReason> = {
  stop: 'stop',
  end_turn: 'stop',
  stop_sequence: 'stop',
  length: 'length',
  max_tokens: 'length',
  tool_calls: 'tool-calls',
  function_call: 'tool-calls',
  tool_use: 'tool-calls',
  content_filter: 'refused',
  refusal: 'refused',
  safety: 'refused',
  recitation: 'refused',
  prohibited_content: 'refused',
};

/** A piece of an answer, in LangChain's format. */
export interface AnswerPiece {
  readonly text: string;
  readonly tool_call_chunks?: readonly CallPiece[] | undefined;
  readonly tool_calls?:
    readonly { readonly id?: string | undefined; readonly name: string; readonly args: unknown }[] | undefined;
  readonly response_metadata?: unknown;
  readonly additional_kwargs?: unknown;
  readonly usage_metadata?: { readonly input_tokens: number; readonly output_tokens: number } | undefined;
  /** Its thoughts, if the server separates them from the answer. */
  readonly reasoning?: string | undefined;
  /** The answer has ended, whether or not a reason was said. */
  readonly hasEnded?: boolean;
}

interface CallPiece {
  readonly index?: number | undefined;
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  readonly args?: string | undefined;
}

/** Whether each report of usage adds to earlier ones or replaces them. */
export type UsageCounting = 'increments' | 'totals';

const callsMax = 16;
/** The limit for all calls of an answer together. */
const argumentLettersMax = 100_000;

interface BegunCall {
  readonly index: number | undefined;
  id: string;
  name: string;
  written: string;
}

/** Assembles an answer from its chunks, in which tool calls come in pieces and the finish reason may come anywhere. */
export class ModelAnswer {
  private readonly calls: BegunCall[] = [];
  private argumentLetters = 0;
  /** The thoughts in the last chunk. */
  thought = '';
  private readonly thoughts = new Thoughts();
  private thoughtLetters = 0;
  private ending: string | undefined;
  private usage: ModelUsage | null = null;

  constructor(
    private readonly model: string,
    private readonly counting: UsageCounting,
  ) {}

  /** Adds a chunk and returns the text that it adds to the answer. */
  take(chunk: AnswerPiece): string {
    const pieces = chunk.tool_call_chunks ?? [];
    for (const piece of pieces) this.takeCall(piece);
    // Providers that do not stream tool calls send them whole.
    if (pieces.length === 0)
      for (const { id, name, args } of chunk.tool_calls ?? []) this.takeCall({ id, name, args: JSON.stringify(args) });
    this.thought = chunk.reasoning ?? '';
    if (chunk.response_metadata) this.takeMetadata(chunk.response_metadata);
    if (chunk.additional_kwargs) this.takeMetadata(chunk.additional_kwargs);
    this.takeUsage(chunk.usage_metadata);
    if (chunk.hasEnded) this.ending ??= 'stop';
    const text = this.thoughts.apartFrom(chunk.text);
    this.thought += this.thoughts.lately;
    this.thoughtLetters += this.thought.length;
    if (this.thoughtLetters > thoughtLettersMax)
      throw new ProviderFailure(this.model, 'it does not stop thinking', { retryable: false });
    return text;
  }

  /** The rest of the text, the tool calls and the finish. Throws if the answer broke off, even if the connection was closed properly. */
  *rest(): Generator<ModelEvent> {
    if (this.ending === undefined) throw new ProviderFailure(this.model, 'the answer broke off', { retryable: true });
    if (this.thoughts.areOpen && this.calls.length === 0)
      throw new ProviderFailure(this.model, 'it ran out of tokens while it still thought: allow it more', { retryable: false });
    const text = this.thoughts.undecided;
    if (text !== '') yield { type: 'text', text };
    for (const [place, { id, name, written }] of this.calls.entries())
      yield { type: 'tool-call', call: { id: id || `call_${place}`, name, arguments: parsed(written) } };
    const finishReason = reasons[this.ending.toLowerCase()] ?? 'stop';
    yield { type: 'finish', reason: this.calls.length > 0 ? 'tool-calls' : finishReason, usage: this.usage };
  }

  private takeCall(piece: CallPiece): void {
    const call = this.continuedBy(piece) ?? this.begin(piece);
    const { id, name, args = '' } = piece;
    call.id ||= id ?? '';
    call.name ||= name ?? '';
    call.written += args;
    this.argumentLetters += args.length;
    if (this.argumentLetters > argumentLettersMax)
      throw new ProviderFailure(this.model, 'its arguments for tools do not end', { retryable: false });
  }

  /**
   * The call that a piece continues; undefined if it begins one. Providers identify calls by number, by id, by both or by neither; some
   * repeat a number for the next call, or give every piece a new id. A name with another id, or without one, begins a call.
   */
  private continuedBy({ index, id, name }: CallPiece): BegunCall | undefined {
    if (index !== undefined) {
      const numbered = this.calls.findLast((call) => call.index === index);
      const isAnother = Boolean(name && id && numbered?.id) && id !== numbered?.id;
      return isAnother ? undefined : numbered;
    }
    const byId = id ? this.calls.findLast((call) => call.id === id) : undefined;
    return byId ?? (name ? undefined : this.calls.at(-1));
  }

  private begin({ index }: CallPiece): BegunCall {
    if (this.calls.length >= callsMax) throw new ProviderFailure(this.model, 'it asked for too many tools', { retryable: false });
    const call = { index, id: '', name: '', written: '' };
    this.calls.push(call);
    return call;
  }

  private takeMetadata(metadata: unknown): void {
    const { data } = Metadata.safeParse(metadata);
    this.thought += data?.reasoning_content ?? '';
    this.ending = data?.finish_reason ?? data?.stop_reason ?? data?.finishReason ?? this.ending;
  }

  private takeUsage(spent: AnswerPiece['usage_metadata']): void {
    if (!spent) return;
    const { promptTokens, completionTokens } = this.usage ?? { promptTokens: 0, completionTokens: 0 };
    const together = this.counting === 'increments' ? (one: number, other: number) => one + other : Math.max;
    this.usage = {
      promptTokens: together(promptTokens, spent.input_tokens),
      completionTokens: together(completionTokens, spent.output_tokens),
    };
  }
}

const thoughtLettersMax = 100_000;
/** An answer so far that consists only of a thinking tag, or the beginning of one. */
const openingMark = /^(?:<(?:t(?:h(?:i(?:n(?:k(?:i(?:n(?:g)?)?)?)?)?)?)?)?$|<think(?:ing)?>)/i;
const closingMark = /<\/think(?:ing)?>/i;
/** The possible beginning of a closing tag. */
const closingMarkBegun = /<[^<>]{0,10}$/;

/**
 * Removes a reasoning model's thoughts from its answer. Servers that do not separate the two leave the thoughts before the answer,
 * between tags that may be split over several pieces. Blanks before the first letter are no part of an answer.
 */
class Thoughts {
  private held = '';
  private state: 'undecided' | 'thinking' | 'answering' = 'undecided';
  /** The thoughts of the last piece. */
  lately = '';

  get areOpen(): boolean {
    return this.state === 'thinking';
  }

  /** Text held back because it might be the beginning of a tag. */
  get undecided(): string {
    return this.state === 'undecided' ? this.held : '';
  }

  apartFrom(text: string): string {
    this.lately = '';
    if (this.state === 'answering') return text;
    this.held += text;
    return this.sorted();
  }

  /** Thoughts may follow thoughts, many of them in one piece. */
  private sorted(): string {
    let goesOn = true;
    while (goesOn) goesOn = this.state === 'undecided' ? this.decide() : this.think();
    return this.state === 'answering' ? this.held : '';
  }

  /** Whether thoughts begin here; undecided until the tag is complete. */
  private decide(): boolean {
    this.held = this.held.trimStart();
    if (this.held === '') return false;
    const [mark] = openingMark.exec(this.held) ?? [];
    if (mark === undefined) this.state = 'answering';
    if (!mark?.endsWith('>')) return false;
    this.state = 'thinking';
    this.held = this.held.slice(mark.length);
    return true;
  }

  /** Whether the thoughts end here. */
  private think(): boolean {
    const close = closingMark.exec(this.held);
    const end = close?.index ?? closingMarkBegun.exec(this.held)?.index ?? this.held.length;
    this.lately += this.held.slice(0, end);
    this.held = this.held.slice(end + (close?.[0].length ?? 0));
    if (close) this.state = 'undecided';
    return close !== null;
  }
}

/** Parses tool arguments, which are validated by whoever runs the tool. */
function parsed(written: string): unknown {
  try {
    return written.trim() === '' ? {} : JSON.parse(written);
  } catch {
    return written;
  }
}

const Answered = z.object({ status: z.number().optional(), statusCode: z.number().optional(), headers: z.unknown().optional() });
const PlainHeaders = z.object({ 'retry-after': z.string().optional() });
const retryableStatuses = new Set([408, 409, 425, 429, 529]);

/** Converts an error of a provider's client: a response with a status, or no proper response. Faults are our own and stay. */
export function toProviderFailure(model: string, error: unknown): ProviderFailure | Fault {
  if (error instanceof ProviderFailure || error instanceof Fault) return error;
  const { data } = Answered.safeParse(error);
  const status = data?.status ?? data?.statusCode;
  if (!data || status === undefined)
    return new ProviderFailure(model, 'it gave no proper answer', { retryable: true, cause: error });
  const retryable = status >= 500 || retryableStatuses.has(status);
  const retryAfterMs = waitOf(data.headers);
  return new ProviderFailure(model, `status ${status}`, {
    retryable,
    cause: error,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...kindOfStatus(status),
  });
}

/** The wait that a server requests, in seconds or as a date. */
function waitOf(headers: unknown): number | undefined {
  const wait = headers instanceof Headers ? headers.get('retry-after') : PlainHeaders.safeParse(headers).data?.['retry-after'];
  if (!wait) return undefined;
  if (/^\d+(\.\d+)?$/.test(wait)) return Number(wait) * 1000;
  const atMs = Date.parse(wait);
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - Date.now());
}
