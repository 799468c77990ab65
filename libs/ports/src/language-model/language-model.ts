import type { BusinessSchedule } from '@parley/contracts';
import type { ProviderFailure } from '../provider-failure';

/** A model's capabilities, for choosing one and composing its prompt. */
export interface LanguageModelCapabilities {
  readonly contextTokens: number;
  readonly hasTools: boolean;
  /** Whether it quotes the passages of its grounds instead of reading the prompt. */
  readonly isExtractive?: boolean;
  /** Of several in turn: whether every one of them does. */
  readonly areAllExtractive?: boolean;
}

/** A function that a model may ask for. `parameters` is a JSON Schema. */
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

/** What an answer may be made from and who gives it. A generative model reads the same inside `system`; an extractive one reads it here. */
export interface Grounds {
  readonly language: 'english' | 'hindi' | 'marathi';
  /** Whether Hindi or Marathi is to be written in Latin letters, as the question is. */
  readonly isInLatinLetters?: boolean;
  readonly agentName: string;
  readonly greeting: string;
  /**
   * The excerpt of a passage is what of it answers the question word for word; empty where nothing does. The score says how surely it
   * belongs to the question, where it was found by it.
   */
  readonly passages: readonly {
    readonly title: string;
    readonly text: string;
    readonly excerpt: string;
    readonly score?: number;
  }[];
  /** The knowledge base as the prompt holds it. */
  readonly knowledge?: string;
  /** When the business is open, where it has said so. */
  readonly schedule?: BusinessSchedule | null;
}

export interface ModelRequest {
  /** The same in every turn of every conversation until agent, knowledge or day change: providers cache its processed form. */
  readonly system: string;
  /** Valid for this turn only. It goes right before the question, so that everything before it stays the same. */
  readonly turn?: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ToolSpecification[];
  readonly grounds: Grounds;
  readonly temperature: number;
  readonly tokensMax: number;
  /** Called for each model that fails, also when another one answers. */
  readonly onFailure?: (failure: ProviderFailure) => void;
  /** Called with the model whose answer begins. */
  readonly onBegin?: (model: string) => void;
  /** Awaited for what a model thinks before or between its words, as far as it shows it. What this throws ends the answer. */
  readonly onThought?: (text: string) => void | Promise<void>;
  /** Called for each model that ended or failed without a word, though it thought or says that it wrote something. */
  readonly onSpent?: (spent: SpentInVain) => void;
}

/** What a model did that has no part in the answer. */
export interface SpentInVain {
  readonly model: string;
  /** Null where the provider does not say it. */
  readonly usage: ModelUsage | null;
}

export interface ModelUsage {
  readonly promptTokens: number;
  readonly completionTokens: number;
}

/** The mark by which a model says that it does not know the answer. It is never spoken or shown. */
export const unknownMark = '[unknown]';

export type FinishReason = 'stop' | 'length' | 'tool-calls' | 'refused';

/** Text and tool calls in the order in which they came, then one `finish`. Usage is null where the provider does not say it. */
export type ModelEvent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool-call'; readonly call: ToolCall }
  | { readonly type: 'finish'; readonly reason: FinishReason; readonly usage: ModelUsage | null };

/**
 * Answers a conversation, piece by piece. Throws ProviderFailure when the engine does not do its work, and the signal's
 * reason once that aborts; ending the loop early stops the engine. A stream without a `finish` never ends quietly.
 */
export interface LanguageModel {
  readonly name: string;
  readonly capabilities: LanguageModelCapabilities;
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
}

/** The messages as sent to a model, with this turn's instructions in front of the question, which is the user's last message. */
export function sentMessages({ messages, turn = '' }: Pick<ModelRequest, 'messages' | 'turn'>): readonly ModelMessage[] {
  const question = messages.findLastIndex(({ role }) => role === 'user');
  if (turn === '' || question === -1) return messages;
  return messages.map((message, place) =>
    place === question && message.role === 'user' ? { ...message, text: `${turn}\n\n${message.text}` } : message,
  );
}

/** All that a model reads of a request. One that quotes takes the question and its passages, and nothing else of the prompt. */
export function readOf(
  { system, turn = '', messages, grounds }: ModelRequest,
  { isExtractive = false, areAllExtractive = isExtractive }: Partial<LanguageModelCapabilities>,
): string {
  if (!areAllExtractive) return [system, turn, ...messages.map(({ text }) => text)].join('\n');
  const asked = messages.findLast(({ role }) => role === 'user')?.text ?? '';
  return [asked, ...grounds.passages.map(({ text }) => text)].join('\n');
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

/** A whole answer in words, as a model streams it. */
export function spoken(text: string, usage = { promptTokens: 10, completionTokens: 5 }): ModelEvent[] {
  const words = text.match(/\S+\s*/gu) ?? [];
  return [...words.map((word) => ({ type: 'text' as const, text: word })), { type: 'finish', reason: 'stop', usage }];
}

/** A question to a model in the fewest words. */
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
