import { type FinishReason, type ModelEvent, type ModelUsage, ProviderFailure } from '@parley/ports';
import { z } from 'zod';

const Ending = z.object({
  finish_reason: z.string().nullish(),
  stop_reason: z.string().nullish(),
  // Google's is in capitals; a lower-case "stop" is invented by its client if it cannot read the stream.
  finishReason: z
    .string()
    .regex(/^[A-Z_]+$/)
    .nullish(),
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
  /** Whether the answer has ended, even without a reason. */
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
  private readonly thoughts = new Thoughts();
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
    if (chunk.response_metadata) this.takeEnding(chunk.response_metadata);
    if (chunk.additional_kwargs) this.takeEnding(chunk.additional_kwargs);
    this.takeUsage(chunk.usage_metadata);
    if (chunk.hasEnded) this.ending ??= 'stop';
    const said = this.thoughts.apartFrom(chunk.text);
    if (this.thoughts.letters > thoughtLettersMax)
      throw new ProviderFailure(this.model, 'it does not stop thinking', { retryable: false });
    return said;
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
    const said = reasons[this.ending.toLowerCase()] ?? 'stop';
    yield { type: 'finish', reason: this.calls.length > 0 ? 'tool-calls' : said, usage: this.usage };
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

  private takeEnding(metadata: unknown): void {
    const { data } = Ending.safeParse(metadata);
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
const openingMark = /^\s*(?:<(?:t(?:h(?:i(?:n(?:k(?:i(?:n(?:g)?)?)?)?)?)?)?)?$|<think(?:ing)?>)/i;
const closingMark = /<\/think(?:ing)?>/i;
const closingMarkLetters = '</thinking>'.length;

/**
 * Removes a reasoning model's thoughts from its answer. Servers that do not separate the two leave the thoughts before the answer,
 * between tags that may be split over several pieces.
 */
class Thoughts {
  private held = '';
  private state: 'undecided' | 'thinking' | 'answering' = 'undecided';
  letters = 0;

  get areOpen(): boolean {
    return this.state === 'thinking';
  }

  /** Text held back because it might be the beginning of a tag. */
  get undecided(): string {
    return this.state === 'undecided' ? this.held : '';
  }

  apartFrom(text: string): string {
    if (this.state === 'answering') return text;
    this.held += text;
    if (this.state === 'undecided') {
      if (this.held.trim() === '') return '';
      const [mark] = openingMark.exec(this.held) ?? [];
      if (mark === undefined) return this.answer();
      if (!mark.endsWith('>')) return '';
      this.state = 'thinking';
      this.held = this.held.slice(mark.length);
    }
    this.letters += text.length;
    const close = closingMark.exec(this.held);
    if (!close) {
      this.held = this.held.slice(-closingMarkLetters);
      return '';
    }
    const rest = this.held.slice(close.index + close[0].length);
    this.state = 'undecided';
    this.held = '';
    return this.apartFrom(rest);
  }

  private answer(): string {
    this.state = 'answering';
    return this.letters > 0 ? this.held.trimStart() : this.held;
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

/** Converts an error of a provider's client: a response with a status, or no proper response. */
export function toProviderFailure(model: string, error: unknown): ProviderFailure {
  if (error instanceof ProviderFailure) return error;
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
