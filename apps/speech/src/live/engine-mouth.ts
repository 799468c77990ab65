import { charactersOf, type SpeechLanguage } from '@parley/contracts';
import type { SpeechBlock } from '@parley/ports';
import type { Mouth } from '@parley/voice-session';
import type { SpeechEngines } from '../engines/speech-engines';
import { atRate } from '../speaking/at-rate';
import type { SessionUsage } from './session-usage';

/** How an agent sounds on one line. */
export interface LineVoice {
  /** The agent's own first, then those that stand in for it. */
  readonly voiceIds: readonly number[];
  readonly pace: number;
  readonly language: SpeechLanguage;
  readonly sampleRate: number;
}

/** Speaks with the engines of this installation, at the rate of the line. */
export class EngineMouth implements Mouth {
  constructor(
    private readonly engines: SpeechEngines,
    private readonly voice: LineVoice,
    private readonly usage: SessionUsage,
  ) {}

  async *speak({ text, language, signal }: Parameters<Mouth['speak']>[0]): AsyncGenerator<SpeechBlock> {
    const { pace, sampleRate } = this.voice;
    const spoken = language ?? this.voice.language;
    // The agent's own voice where it speaks the language; otherwise somebody who does.
    const { engine, voice } = this.engines.speakerOf(spoken, undefined, this.voice.voiceIds);
    let isPaid = false;
    for await (const block of atRate(engine.speak({ text, language: spoken, voice, pace, sampleRate, signal }), sampleRate)) {
      // A sentence is paid once it sounds; one that was cancelled before has cost nobody anything.
      if (!isPaid) this.usage.characters(charactersOf(text));
      isPaid = true;
      yield block;
    }
  }
}
