import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { compileFunction, constants } from 'node:vm';
import {
  type LanguageModel,
  type ModelEvent,
  type ModelMessage,
  type ModelRequest,
  type ModelUsage,
  ProviderFailure,
  sentMessages,
} from '@parley/ports';
import { variableText } from '@parley/service-kit';
import { FairGate } from '../engine-pool';
import { toProviderFailure } from '../model-answer';
import { defineLanguageModelVendor } from '../vendor';

/** A model that runs in this process. */
export const llamaCpp = defineLanguageModelVendor({
  id: 6,
  name: 'llama-cpp',
  isLocal: true,
  grade: 'production',
  latency: 'slow',
  // The model named by LLAMA_MODEL_PATH, with memory for this context size.
  models: [{ id: 61, model: 'configured', contextTokens: 8192 }],
  variables: {
    LLAMA_MODEL_PATH: variableText().optional().meta({
      description: 'A GGUF file that the conversation service runs itself. Needs the optional package node-llama-cpp 3.22.',
      example: '/var/lib/parley/models/qwen3-4b-q4.gguf',
    }),
  },
  settings: ['LLAMA_MODEL_PATH'],
  open: async ({ config, contextTokens }) => llamaCppAt({ path: config.LLAMA_MODEL_PATH ?? '', contextTokens }),
});

export interface LlamaCppOptions {
  /** A GGUF file. */
  readonly path: string;
  readonly contextTokens: number;
  /** How many answers are generated at a time; others wait. */
  readonly sequences?: number;
  /** How many requests may wait; further ones are refused at once. */
  readonly queueMax?: number;
  readonly importing?: () => Promise<LlamaModule>;
}

/**
 * A model that runs in this process, by llama.cpp in separate threads. It is loaded once, on first use. For more than a few answers at a
 * time, run a llama.cpp server and set LLM_BASE_URL.
 */
export class LlamaCpp implements LanguageModel {
  readonly name: string;
  readonly capabilities: LanguageModel['capabilities'];
  private readonly places: FairGate;
  private loading: Promise<LlamaEngine> | undefined;

  constructor(private readonly options: LlamaCppOptions) {
    const { contextTokens, queueMax = 16 } = options;
    this.name = `llama-cpp/${path.basename(options.path, '.gguf')}`;
    this.capabilities = { contextTokens, hasTools: false };
    this.places = new FairGate({ provider: this.name, places: this.sequences, queueMax });
  }

  async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    const leaving = new AbortController();
    const stop = AbortSignal.any([signal, leaving.signal]);
    // Its buffer is bounded by the answer, at most `tokensMax` pieces.
    const pieces = new Readable({ objectMode: true, read: () => undefined });
    const hear = (text: string): void => void (text !== '' && pieces.push(text));
    const finish = this.places.pass(() => this.answer(request, { signal: stop, hear }), stop);
    finish
      .then(() => pieces.push(null))
      .catch((failure: unknown) => pieces.destroy(failure instanceof Error ? failure : new Error(String(failure))));
    try {
      const texts: AsyncIterable<string> = pieces;
      for await (const text of texts) {
        signal.throwIfAborted();
        yield { type: 'text', text };
      }
      signal.throwIfAborted();
      yield await finish;
    } catch (error) {
      signal.throwIfAborted();
      throw toProviderFailure(this.name, error);
    } finally {
      leaving.abort();
    }
  }

  private async answer(request: ModelRequest, listener: { signal: AbortSignal; hear(text: string): void }): Promise<ModelEvent> {
    const engine = await unlessAborted(this.loaded(), listener.signal);
    const { isCutOff, usage } = await engine.answer(request, listener);
    return { type: 'finish', reason: isCutOff ? 'length' : 'stop', usage };
  }

  /** Loads the model. It continues if the caller leaves, since the next one needs it too, and is tried again after a failure. */
  private loaded(): Promise<LlamaEngine> {
    const { importing = importLlama, path, contextTokens } = this.options;
    this.loading ??= LlamaEngine.load(importing, { path, contextTokens, sequences: this.sequences });
    this.loading.catch(() => (this.loading = undefined));
    return this.loading;
  }

  private get sequences(): number {
    return this.options.sequences ?? 2;
  }
}

const opened = new Map<string, LlamaCpp>();

/** The model of a file, shared by the whole process, since it may take most of the memory. */
export function llamaCppAt(options: Pick<LlamaCppOptions, 'path' | 'contextTokens'>): LlamaCpp {
  const model = opened.get(options.path) ?? new LlamaCpp(options);
  opened.set(options.path, model);
  return model;
}

function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    work.then(resolve, reject);
  });
}

/** A conversation in the library's form: history and the current message. */
interface Dialogue {
  readonly earlier: HistoryItem[];
  readonly prompt: string;
}

interface EngineOptions {
  readonly path: string;
  readonly contextTokens: number;
  /** How many answers are generated at a time. Each takes memory for a whole context from the start. */
  readonly sequences: number;
}

// The threads wait for each other by spinning. With one per core, a token takes fifty times as long as soon as anything else, such as
// this service, runs; with the library's minimum of four threads on two cores, far longer.
const threadsMax = Math.max(1, availableParallelism() - 1);

interface Completion {
  readonly isCutOff: boolean;
  readonly usage: ModelUsage;
}

interface TokenListener {
  readonly signal: AbortSignal;
  hear(text: string): void;
}

/** A loaded model with a fixed number of sequences, each used by one request at a time. */
class LlamaEngine {
  private constructor(
    private readonly module: LlamaModule,
    private readonly model: LlamaModel,
    private readonly free: LlamaSequence[],
  ) {}

  /** Loads the file, which takes seconds. The native library is never built here. */
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

  /** Generates an answer. The caller must ensure that there are no more requests than sequences. */
  async answer(request: ModelRequest, { signal, hear }: TokenListener): Promise<Completion> {
    const sequence = this.free.pop();
    if (!sequence) throw new TypeError('more requests than sequences');
    try {
      return await this.converse(sequence, request, { signal, hear });
    } catch (failure) {
      // After an abort the history is kept as a cached prefix for the next turn; after a failure it is not.
      if (!signal.aborted) await sequence.clearHistory();
      throw failure;
    } finally {
      this.free.push(sequence);
    }
  }

  private async converse(
    contextSequence: LlamaSequence,
    request: ModelRequest,
    { signal, hear }: TokenListener,
  ): Promise<Completion> {
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
        // No thinking, because the listener is waiting for the first word.
        budgets: { thoughtTokens: 0 },
        onTextChunk: hear,
      });
      const completionTokens = contextSequence.tokenMeter.usedOutputTokens - saidBefore;
      return { isCutOff: stopReason === 'maxTokens', usage: { promptTokens: this.promptTokens(request), completionTokens } };
    } finally {
      session.dispose();
    }
  }

  /** The tokens of the prompt, without those of the template. The library's meter would omit those already cached. */
  private promptTokens(request: ModelRequest): number {
    return this.model.tokenize([request.system, ...sentMessages(request).map(({ text }) => text)].join('\n')).length;
  }
}

/** Creates the sequences; frees the model if they do not fit into memory. */
async function sequencesOf(model: LlamaModel, { sequences, contextTokens }: Pick<EngineOptions, 'sequences' | 'contextTokens'>) {
  try {
    const context = await model.createContext({ sequences, contextSize: contextTokens });
    return Array.from({ length: sequences }, () => context.getSequence());
  } catch (failure) {
    await model.dispose();
    throw failure;
  }
}

/** Splits a conversation into history and prompt, which is the user's last message. If the model spoke last, it is asked to continue. */
function dialogueOf(request: Pick<ModelRequest, 'messages' | 'turn'>): Dialogue {
  const items = sentMessages(request).flatMap(itemsOf);
  const last = items.at(-1);
  if (last?.type !== 'user') return { earlier: items, prompt: '' };
  return { earlier: items.slice(0, -1), prompt: last.text };
}

/** It gets no tools; tool results of another model are included as text. */
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

const packageName = 'node-llama-cpp';
/** The version whose interface is declared here. */
const packageVersion = '3.22.1';

/** A message in the library's form. */
export type HistoryItem =
  | { readonly type: 'system'; readonly text: unknown }
  | { readonly type: 'user'; readonly text: string }
  | { readonly type: 'model'; readonly response: string[] };

/** One of the conversations in a context. Its tokens stay cached, so that a common beginning is evaluated once. */
export interface LlamaSequence {
  /** Counted over the sequence's lifetime. */
  readonly tokenMeter: { readonly usedOutputTokens: number };
  clearHistory(): Promise<void>;
}

interface PromptOptions {
  readonly signal: AbortSignal;
  readonly temperature: number;
  readonly maxTokens: number;
  readonly budgets: { readonly thoughtTokens: number };
  onTextChunk(text: string): void;
}

export interface LlamaSession<Item = HistoryItem> {
  getChatHistory(): Item[];
  setChatHistory(history: (Item | HistoryItem)[]): void;
  promptWithMeta(prompt: string, options: PromptOptions): Promise<{ readonly stopReason: string }>;
  dispose(): void;
}

interface LlamaModel<Sequence = LlamaSequence> {
  tokenize(text: string): readonly unknown[];
  createContext(options: { sequences: number; contextSize: number }): Promise<{ getSequence(): Sequence }>;
  dispose(): Promise<void>;
}

/** The part of node-llama-cpp that we use, by its documentation. The package is optional and installed by the operator. */
export interface LlamaModule {
  getLlama(options: {
    build: 'never';
    maxThreads: number;
  }): Promise<{ loadModel(options: { modelPath: string }): Promise<LlamaModel> }>;
  readonly LlamaChatSession: new (options: {
    contextSequence: LlamaSequence;
    systemPrompt: string;
    forceAddSystemPrompt: true;
  }) => LlamaSession;
}

// Our `import()` is compiled to `require()`, which cannot load modules with top-level await, such as this one.
const importModule = compileFunction('return import(url)', ['url'], {
  importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
});

/** The optional package, or a failure that says how to install it. */
export async function importLlama(name = packageName): Promise<LlamaModule> {
  let file: string;
  try {
    file = require.resolve(name);
  } catch (cause) {
    const message = `needs the optional package ${name}: npm install --no-save ${name}@${packageVersion}`;
    throw new ProviderFailure('llama-cpp', message, { retryable: false, cause });
  }
  return importModule(pathToFileURL(file).href);
}
