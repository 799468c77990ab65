import { pathToFileURL } from 'node:url';
import { compileFunction, constants } from 'node:vm';
import { ProviderFailure } from '@parley/ports';

const packageName = 'node-llama-cpp';
/** The version whose interface is written down here. */
const packageVersion = '3.22.1';

/** A message as the library keeps it. */
export type HistoryItem =
  | { readonly type: 'system'; readonly text: unknown }
  | { readonly type: 'user'; readonly text: string }
  | { readonly type: 'model'; readonly response: string[] };

/** One of the conversations that a context can hold. What it has read stays, so that the same beginning is read once. */
export interface LlamaSequence {
  /** Counts on for as long as the sequence lives. */
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

export interface LlamaModel<Sequence = LlamaSequence> {
  tokenize(text: string): readonly unknown[];
  createContext(options: { sequences: number; contextSize: number }): Promise<{ getSequence(): Sequence }>;
  dispose(): Promise<void>;
}

/** What we use of node-llama-cpp, as its documentation has it: the package itself is installed by whoever wants it. */
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

// Our own `import()` is compiled to `require()`, which takes no module that awaits while it loads, as this one does.
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
