import type { LanguageModel, ModelEvent, ModelRequest } from './language-model';

type Script = (request: ModelRequest, signal: AbortSignal) => AsyncIterable<ModelEvent> | Iterable<ModelEvent>;

/** A model that says what a test tells it to, and remembers what it was asked. */
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
