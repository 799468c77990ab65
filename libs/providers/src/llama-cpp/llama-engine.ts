import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { type ModelMessage, type ModelRequest, type ModelUsage, ProviderFailure, sentMessages } from '@parley/ports';
import type { HistoryItem, LlamaModel, LlamaModule, LlamaSequence } from './llama-module';

/** A conversation as the library wants it: what was said before, and what is said now. */
interface Dialogue {
  readonly earlier: HistoryItem[];
  readonly prompt: string;
}

export interface EngineOptions {
  readonly path: string;
  readonly contextTokens: number;
  /** Answers at a time. Each takes memory for a whole context, from the start. */
  readonly sequences: number;
}

// Its threads wait for each other by spinning. With one for every core, a word takes fifty times as long as soon as
// anything else runs on the machine, as this service does; with the library's own minimum of four on two cores, far longer.
const threadsMax = Math.max(1, availableParallelism() - 1);

interface Answer {
  readonly isCutOff: boolean;
  readonly usage: ModelUsage;
}

interface Listener {
  readonly signal: AbortSignal;
  hear(text: string): void;
}

/** A model in memory, with a fixed number of sequences that are lent to one request at a time. */
export class LlamaEngine {
  private constructor(
    private readonly module: LlamaModule,
    private readonly model: LlamaModel,
    private readonly free: LlamaSequence[],
  ) {}

  /** Reads the file, which takes seconds; a binary is never built here. */
  static async load(
    importing: () => Promise<LlamaModule>,
    { path, contextTokens, sequences }: EngineOptions,
  ): Promise<LlamaEngine> {
    const module = await importing();
    if (!existsSync(path))
      throw new ProviderFailure('llama-cpp', `finds no model: set LLAMA_MODEL_PATH to a GGUF file (now “${path}”)`, {
        retryable: false,
      });
    try {
      const llama = await module.getLlama({ build: 'never', maxThreads: threadsMax });
      const model = await llama.loadModel({ modelPath: path });
      return new LlamaEngine(module, model, await sequencesOf(model, { sequences, contextTokens }));
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new ProviderFailure('llama-cpp', `cannot load ${path}: ${reason}`, { retryable: false, cause });
    }
  }

  /** Whoever asks sees to it that no more than the given number of requests are here at a time. */
  async answer(request: ModelRequest, { signal, hear }: Listener): Promise<Answer> {
    const sequence = this.free.pop();
    if (!sequence) throw new TypeError('more requests than sequences');
    try {
      return await this.converse(sequence, request, { signal, hear });
    } catch (failure) {
      // What a caller left behind is a good beginning for the next turn; what a failure left behind is not.
      if (!signal.aborted) await sequence.clearHistory();
      throw failure;
    } finally {
      this.free.push(sequence);
    }
  }

  private async converse(contextSequence: LlamaSequence, request: ModelRequest, { signal, hear }: Listener): Promise<Answer> {
    const { earlier, prompt } = dialogueOf(request);
    const saidBefore = contextSequence.tokenMeter.usedOutputTokens;
    const { LlamaChatSession } = this.module;
    const session = new LlamaChatSession({ contextSequence, systemPrompt: request.system, forceAddSystemPrompt: true });
    try {
      session.setChatHistory([...session.getChatHistory(), ...earlier]);
      const { stopReason } = await session.promptWithMeta(prompt, {
        signal,
        temperature: request.temperature,
        maxTokens: request.tokensMax,
        // Somebody waits for the first word.
        budgets: { thoughtTokens: 0 },
        onTextChunk: hear,
      });
      const completionTokens = contextSequence.tokenMeter.usedOutputTokens - saidBefore;
      return { isCutOff: stopReason === 'maxTokens', usage: { promptTokens: this.promptTokens(request), completionTokens } };
    } finally {
      session.dispose();
    }
  }

  /** Without the few that the template puts around each message. The meter would leave out what the sequence knew already. */
  private promptTokens(request: ModelRequest): number {
    return this.model.tokenize([request.system, ...sentMessages(request).map(({ text }) => text)].join('\n')).length;
  }
}

/** A model without memory for its contexts gives back its own. */
async function sequencesOf(model: LlamaModel, { sequences, contextTokens }: Pick<EngineOptions, 'sequences' | 'contextTokens'>) {
  try {
    const context = await model.createContext({ sequences, contextSize: contextTokens });
    return Array.from({ length: sequences }, () => context.getSequence());
  } catch (failure) {
    await model.dispose();
    throw failure;
  }
}

/** What the user said last is the prompt. Where the model itself spoke last, it is asked to go on. */
function dialogueOf(request: Pick<ModelRequest, 'messages' | 'turn'>): Dialogue {
  const items = sentMessages(request).flatMap(itemsOf);
  const last = items.at(-1);
  if (last?.type !== 'user') return { earlier: items, prompt: '' };
  return { earlier: items.slice(0, -1), prompt: last.text };
}

/** It is offered no tools; what another model's tools found is read to it as text. */
function itemsOf(message: ModelMessage): HistoryItem[] {
  switch (message.role) {
    case 'user':
      return [{ type: 'user', text: message.text }];
    case 'assistant':
      return message.text === '' ? [] : [{ type: 'model', response: [message.text] }];
    case 'tool':
      return [{ type: 'user', text: `(${message.name}: ${message.text})` }];
  }
}
