import path from 'node:path';
import { Readable } from 'node:stream';
import type { LanguageModel, ModelEvent, ModelRequest } from '@parley/ports';
import { Turnstile } from '../engine-pool';
import { toProviderFailure } from '../model-answer';
import { LlamaEngine } from './llama-engine';
import { importLlama, type LlamaModule } from './llama-module';

export interface LlamaCppOptions {
  /** A GGUF file. */
  readonly path: string;
  readonly contextTokens: number;
  /** Answers at a time; others wait. */
  readonly sequences?: number;
  /** Requests that may wait; one more is refused at once. */
  readonly queueMax?: number;
  readonly importing?: () => Promise<LlamaModule>;
}

/**
 * A model that runs in this process, by llama.cpp on threads of its own. It is read once, when it is first asked. Who
 * needs more than a few answers at a time runs a server of llama.cpp and sets LLM_BASE_URL.
 */
export class LlamaCpp implements LanguageModel {
  readonly name: string;
  readonly capabilities: LanguageModel['capabilities'];
  private readonly places: Turnstile;
  private loading: Promise<LlamaEngine> | undefined;

  constructor(private readonly options: LlamaCppOptions) {
    const { contextTokens, queueMax = 16 } = options;
    this.name = `llama-cpp/${path.basename(options.path, '.gguf')}`;
    this.capabilities = { contextTokens, hasTools: false };
    this.places = new Turnstile({ provider: this.name, places: this.sequences, queueMax });
  }

  async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    const leaving = new AbortController();
    const stop = AbortSignal.any([signal, leaving.signal]);
    // It holds no more than the answer, which has `tokensMax` pieces at most.
    const pieces = new Readable({ objectMode: true, read: () => undefined });
    const hear = (text: string): void => void (text !== '' && pieces.push(text));
    const finish = this.places.pass(() => this.answer(request, { signal: stop, hear }), stop);
    finish.then(() => pieces.push(null)).catch((failure: Error) => pieces.destroy(failure));
    try {
      for await (const text of pieces) {
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

  /** Who leaves does not stop the loading: the next one needs it too. After a failure it is tried anew. */
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

/** The model of a file, the same one for everybody in this process: it may take most of the memory. */
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
