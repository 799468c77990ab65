import type { BusinessSchedule } from '@parley/contracts';
import type { ProviderFailure } from '../provider-failure';

/** A model's capabilities, for choosing one and composing its prompt. */
export interface LanguageModelCapabilities {
  readonly contextTokens: number;
  readonly hasTools: boolean;
  /** Whether it quotes the passages in its grounds instead of reading the prompt. */
  readonly isExtractive?: boolean;
  /** For a chain of models: whether all of them do. */
  readonly areAllExtractive?: boolean;
}

/** A function that a model may call. `parameters` is a JSON Schema. */
export interface ToolSpecification {
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** A model's request to call a function. The arguments are unchecked model output. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: unknown;
}

export type ModelMessage =
  | { readonly role: 'user'; readonly text: string }
  | { readonly role: 'assistant'; readonly text: string; readonly toolCalls?: readonly ToolCall[] }
  | { readonly role: 'tool'; readonly callId: string; readonly name: string; readonly text: string };

/**
 * What an answer may be based on, and who gives it. A generative model reads the same in `system`; an extractive one reads it
 * here.
 */
export interface Grounds {
  readonly language: 'english' | 'hindi' | 'marathi';
  /** Whether Hindi or Marathi should be written in Latin letters, like the question. */
  readonly isInLatinLetters?: boolean;
  readonly agentName: string;
  readonly greeting: string;
  /**
   * The excerpt of a passage is the part that answers the question verbatim; empty if no part does. The score is the confidence
   * that the passage belongs to the question, if it was found by search.
   */
  readonly passages: readonly {
    readonly title: string;
    readonly text: string;
    readonly excerpt: string;
    readonly score?: number;
  }[];
  /** The knowledge base as contained in the prompt. */
  readonly knowledge?: string;
  /** When the business is open, if known. */
  readonly schedule?: BusinessSchedule | null;
}

export interface ModelRequest {
  /**
   * The same in every turn of every conversation until agent, knowledge or day change, so that providers can cache its processed
   * form.
   */
  readonly system: string;
  /** Valid for this turn only. Placed right before the question, so that everything before it stays the same. */
  readonly turn?: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ToolSpecification[];
  readonly grounds: Grounds;
  readonly temperature: number;
  readonly tokensMax: number;
  /** Called for each model that fails, even if another one answers. */
  readonly onFailure?: (failure: ProviderFailure) => void;
  /** Called with the model whose answer has begun. */
  readonly onBegin?: (model: string) => void;
  /** Called, and awaited, with the thoughts that a model shows before or between its words. If it throws, the answer ends. */
  readonly onThought?: (text: string) => void | Promise<void>;
  /** Called for each model that said nothing, though it showed thoughts or reported completion tokens. */
  readonly onSpent?: (spent: SpentInVain) => void;
}

/** What a model used for nothing in the answer. */
export interface SpentInVain {
  readonly model: string;
  /** Null if the provider does not report it. */
  readonly usage: ModelUsage | null;
}

export interface ModelUsage {
  readonly promptTokens: number;
  readonly completionTokens: number;
}

/** The mark with which a model says that it does not know the answer. It is never spoken or shown. */
export const unknownMark = '[unknown]';

export type FinishReason = 'stop' | 'length' | 'tool-calls' | 'refused';

/** Text and tool calls in order of arrival, then one `finish`. Usage is null if the provider does not report it. */
export type ModelEvent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool-call'; readonly call: ToolCall }
  | { readonly type: 'finish'; readonly reason: FinishReason; readonly usage: ModelUsage | null };

/**
 * Answers a conversation, piece by piece. Throws ProviderFailure if the engine fails, and the signal's reason once it aborts;
 * leaving the loop early stops the engine. A stream without a `finish` always ends with an error.
 */
export interface LanguageModel {
  readonly name: string;
  readonly capabilities: LanguageModelCapabilities;
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
}

/** The messages as sent to a model, with this turn's instructions before the question, which is the user's last message. */
export function sentMessages({ messages, turn = '' }: Pick<ModelRequest, 'messages' | 'turn'>): readonly ModelMessage[] {
  const question = messages.findLastIndex(({ role }) => role === 'user');
  if (turn === '' || question === -1) return messages;
  return messages.map((message, place) =>
    place === question && message.role === 'user' ? { ...message, text: `${turn}\n\n${message.text}` } : message,
  );
}

/** What a model reads of a request, and of its tools. An extractive model reads only the question and its passages. */
export function textsRead(
  { system, turn = '', messages, grounds, tools }: ModelRequest,
  { isExtractive = false, areAllExtractive = isExtractive }: Partial<LanguageModelCapabilities>,
): { readonly texts: readonly string[]; readonly ofTools: readonly string[] } {
  if (!areAllExtractive) return { texts: [system, turn, ...messages.map(textOfMessage)], ofTools: tools.map(textOfTool) };
  const question = messages.findLast(({ role }) => role === 'user')?.text ?? '';
  return { texts: [question, ...grounds.passages.map(({ text }) => text)], ofTools: [] };
}

/** The same as one text. */
export function readOf(request: ModelRequest, kind: Partial<LanguageModelCapabilities>): string {
  const { texts, ofTools } = textsRead(request, kind);
  return [...texts, ...ofTools].join('\n');
}

function textOfTool({ name, description, parameters }: ToolSpecification): string {
  return `${name} ${description} ${JSON.stringify(parameters)}`;
}

function textOfMessage(message: ModelMessage): string {
  const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : [];
  return calls.length > 0 ? `${message.text}\n${textOfCalls(calls)}` : message.text;
}

/** Calls as a model writes them, and reads them in the next step. */
export function textOfCalls(calls: readonly ToolCall[]): string {
  return calls.map((call) => `${call.name} ${JSON.stringify(call.arguments)}`).join('\n');
}

type Script = (request: ModelRequest, signal: AbortSignal) => AsyncIterable<ModelEvent> | Iterable<ModelEvent>;

/** A model with scripted answers that records its requests. */
export class ScriptedLanguageModel implements LanguageModel {
  readonly name: string;
  readonly capabilities = { contextTokens: 8192, hasTools: true };
  readonly requests: ModelRequest[] = [];

  constructor(
    public script: Script,
    { name = 'scripted/model' } = {},
  ) {
    this.name = name;
  }

  async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    signal.throwIfAborted();
    this.requests.push(request);
    for await (const event of this.script(request, signal)) {
      signal.throwIfAborted();
      yield event;
    }
  }
}

/** A complete answer word by word, as a model streams it. */
export function spoken(text: string, usage = { promptTokens: 10, completionTokens: 5 }): ModelEvent[] {
  const words = text.match(/\S+\s*/gu) ?? [];
  return [...words.map((word) => ({ type: 'text' as const, text: word })), { type: 'finish', reason: 'stop', usage }];
}

/** A minimal request to a model. */
export function aModelRequest(changes: Partial<ModelRequest> = {}): ModelRequest {
  return {
    system: 'You are Maya.',
    messages: [{ role: 'user', text: 'When do you deliver?' }],
    tools: [],
    grounds: {
      language: 'english',
      agentName: 'Maya',
      greeting: 'Hello!',
      passages: [{ title: 'FAQ', text: 'When? Within three working days.', excerpt: 'Within three working days.' }],
    },
    temperature: 0.4,
    tokensMax: 256,
    ...changes,
  };
}
