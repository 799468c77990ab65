import type { HistoryItem, LlamaModule, LlamaSequence, LlamaSession } from './index';

/**
 * Behaves like the documented node-llama-cpp, with a fixed answer instead of a model. It tests how we use the library, not llama.cpp
 * itself.
 */
export class FakeLlama {
  readonly loads: string[] = [];
  readonly prompts: { history: readonly HistoryItem[]; prompt: string; options: object }[] = [];
  readonly cleared: LlamaSequence[] = [];
  busiest = 0;
  words = ['Within ', 'three ', 'working ', 'days.'];
  stopReason = 'eogToken';
  /** Awaited between tokens. */
  between: () => Promise<void> = () => new Promise((resolve) => setImmediate(resolve));
  /** Awaited while loading. */
  reading: Promise<void> = Promise.resolve();
  isDisposed = false;
  createContext = async ({ sequences }: { sequences: number; contextSize: number }) => ({
    getSequence: () => this.sequence(sequences),
  });
  private readonly working = new Set<LlamaSequence>();
  private readonly meters = new Map<LlamaSequence, { usedOutputTokens: number }>();
  private lent = 0;

  readonly importing = async (): Promise<LlamaModule> => ({
    getLlama: async () => ({ loadModel: ({ modelPath }) => this.load(modelPath) }),
    LlamaChatSession: this.sessions(),
  });

  private async load(modelPath: string) {
    this.loads.push(modelPath);
    await this.reading;
    return {
      tokenize: (text: string) => text.match(/\S+/gu) ?? [],
      createContext: (options: { sequences: number; contextSize: number }) => this.createContext(options),
      dispose: async () => void (this.isDisposed = true),
    };
  }

  private sequence(sequencesMax: number): LlamaSequence {
    if (++this.lent > sequencesMax) throw new Error('No sequences left');
    const tokenMeter = { usedOutputTokens: 0 };
    const sequence: LlamaSequence = { tokenMeter, clearHistory: async () => void this.cleared.push(sequence) };
    this.meters.set(sequence, tokenMeter);
    return sequence;
  }

  private sessions(): LlamaModule['LlamaChatSession'] {
    const speak: FakeLlama['speak'] = (...asked) => this.speak(...asked);
    return class implements LlamaSession {
      private history: HistoryItem[];
      constructor(private readonly given: { contextSequence: LlamaSequence; systemPrompt: string }) {
        this.history = [{ type: 'system', text: given.systemPrompt }];
      }
      getChatHistory = () => this.history;
      setChatHistory = (history: HistoryItem[]) => void (this.history = history);
      promptWithMeta: LlamaSession['promptWithMeta'] = (prompt, options) => {
        return speak(this.given.contextSequence, { history: this.history, prompt, options });
      };
      dispose = () => undefined;
    };
  }

  private async speak(sequence: LlamaSequence, asked: Asked) {
    const meter = this.meters.get(sequence);
    if (!meter || this.working.has(sequence)) throw new Error('a session needs a sequence of its own');
    this.working.add(sequence);
    this.busiest = Math.max(this.busiest, this.working.size);
    this.prompts.push(asked);
    try {
      for (const word of this.words) {
        await this.between();
        asked.options.signal.throwIfAborted();
        meter.usedOutputTokens += 1;
        asked.options.onTextChunk(word);
      }
      return { stopReason: this.stopReason };
    } finally {
      this.working.delete(sequence);
    }
  }
}

interface Asked {
  readonly history: readonly HistoryItem[];
  readonly prompt: string;
  readonly options: Parameters<LlamaSession['promptWithMeta']>[1];
}
