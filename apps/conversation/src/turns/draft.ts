import type { SpeechLanguage } from '@parley/contracts';
import type { ModelUsage } from '@parley/ports';
import type { Known } from '../knowledge/knowledge';
import type { Memory } from '../prompts/memory';
import type { TurnOutcome } from './turn-record';

/** What a turn has produced so far. It can be stored at any moment, also when the turn is cut short. */
export class Draft {
  answer = '';
  usage: ModelUsage = { promptTokens: 0, completionTokens: 0 };
  isFromFaq = false;
  isKnown = false;
  wantsToEnd = false;
  sources: Known['sources'] = [];
  retrievalMs: number | null = null;
  transcriptionMs: number | null = null;
  audioSeconds = 0;
  /** What the conversation remembers from here on; undefined where no prompt was made. */
  memory: Memory | undefined;
  private firstTextMs: number | null = null;
  private readonly startedMs = performance.now();

  constructor(public language: SpeechLanguage) {}

  add(text: string): void {
    this.firstTextMs ??= this.elapsedMs;
    this.answer += text;
  }

  spend({ promptTokens, completionTokens }: ModelUsage): void {
    this.usage = {
      promptTokens: this.usage.promptTokens + promptTokens,
      completionTokens: this.usage.completionTokens + completionTokens,
    };
  }

  get elapsedMs(): number {
    return Math.round(performance.now() - this.startedMs);
  }

  get tokenUsage() {
    const { promptTokens, completionTokens } = this.usage;
    return { promptTokens, completionTokens, totalTokens: promptTokens + completionTokens };
  }

  get latency(): TurnOutcome['latency'] {
    const { retrievalMs, transcriptionMs, firstTextMs } = this;
    return {
      endOfTurnMs: null, transcriptionMs, retrievalMs,
      firstTokenMs: firstTextMs === null ? null : firstTextMs - (transcriptionMs ?? 0) - (retrievalMs ?? 0),
      firstAudioMs: null, pacingMs: null, totalMs: firstTextMs ?? this.elapsedMs,
    };
  }

  outcome(status: TurnOutcome['status']): TurnOutcome {
    const { answer, language, sources, latency, usage, isFromFaq, isKnown, audioSeconds, memory } = this;
    return { status, answer, language, sources, latency, usage, isFromFaq, isKnown, audioSeconds, memory };
  }
}
