import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { SpeechLanguage } from '@parley/contracts';
import type { HearingRequest, NoiseSuppression, SpeechToText, TurnEnd, VoiceActivity } from '@parley/ports';
import { type HeardEvent, openRecognition, type OpenRecognition, suspectedIn } from '@parley/voice-session';
import type { SpeechEngines } from '../engines/speech-engines';
import type { LiveOpening } from './live-session';

/** The key under which the engine is injected that judges by their prosody whether turns are over. */
export const TurnJudge = Symbol('turn judge');

/** How one line is listened to. */
export interface RecognizedLine {
  readonly about: LiveOpening;
  readonly language: SpeechLanguage;
  readonly engines: SpeechEngines;
  /** Called for each engine that fails to transcribe. */
  readonly onFailure?: HearingRequest['onFailure'];
}

/** Sound is charged after this long if no engine has either transcribed it or failed. */
const undecidedSecondsMax = 30;

/**
 * How much of a caller's sound is heard. A voice counts once its words are there or it turns out to have none, and not at all where
 * an engine failed on it; after a failure nothing counts until there are words again.
 */
export class HeardSound {
  private heard = 0;
  private undecided = 0;
  private isDeaf = false;
  private hasFailed = false;
  private isVoice = false;
  private hasVoice = false;
  private hasWords = false;

  constructor(private readonly sampleRate: number) {}

  /** A second counts once it has begun. */
  get seconds(): number {
    return Math.ceil(this.heard / this.sampleRate);
  }

  /** The caller spoke, and nothing of it was written down because an engine failed or there is none. */
  get isUnheard(): boolean {
    return this.hasVoice && this.hasFailed && !this.hasWords;
  }

  push(samples: number): void {
    if (this.isVoice) this.undecided += samples;
    else if (!this.isDeaf) this.heard += samples;
    if (!this.isDeaf && this.undecided > undecidedSecondsMax * this.sampleRate) this.decide();
  }

  notice(event: HeardEvent): void {
    if (event.kind === 'speech-started') this.isVoice = this.hasVoice = true;
    else if (event.kind === 'deaf') this.fail();
    else if (event.kind === 'partial' || event.kind === 'final') {
      const hasText = event.text.trim() !== '';
      if (!hasText && event.kind === 'partial') return;
      this.hasWords ||= hasText;
      if (hasText) this.isDeaf = false;
      this.decide();
      if (event.kind === 'final') this.isVoice = false;
    }
  }

  /** Recognition could not be opened, so nobody knows whether the caller speaks. */
  lack(): void {
    this.hasVoice = true;
    this.fail();
  }

  /** The line is over: a voice that no engine failed on counts. */
  conclude(): void {
    this.decide();
  }

  private fail(): void {
    this.isDeaf = this.hasFailed = true;
    this.isVoice = false;
    this.undecided = 0;
  }

  private decide(): void {
    if (!this.isDeaf) this.heard += this.undecided;
    this.undecided = 0;
  }
}

/** Opens audio recognition for a line. */
export abstract class LineHearing {
  abstract recognitionFor(line: RecognizedLine): OpenRecognition;

  /** Throws if no engine can transcribe such a line. */
  abstract check(line: RecognizedLine): void;
}

/** Recognition whose voice detector and end-of-turn model serve all lines; speech-to-text is the engine of the line's organization. */
@Injectable()
export class EngineHearing extends LineHearing implements OnApplicationShutdown {
  constructor(
    private readonly voiceActivity: VoiceActivity,
    private readonly suppression: NoiseSuppression,
    private readonly turnEnd: TurnEnd,
  ) {
    super();
  }

  /** Without an English recognizer, callers are still let in: they can type, as on the demo page. */
  check({ about, language, engines }: RecognizedLine): void {
    if (language !== 'english') engines.listenerOf(language, modelsOf(about));
  }

  recognitionFor({ about, language, engines, onFailure }: RecognizedLine): OpenRecognition {
    const {
      IsEnableDTMF,
      IsBackgroundNoiceFilter,
      BackgroundNoiceFilterCount: strength,
      ...hearing
    } = about.agent.RuntimeConfiguration;
    const noise = IsBackgroundNoiceFilter && strength > 0 ? { noise: { suppression: this.suppression, strength } } : {};
    const modelIds = modelsOf(about);
    const { sampleRate } = about.opening;
    const options = {
      sampleRate,
      language,
      hearsDigits: Boolean(IsEnableDTMF),
      suspects: suspectedIn(hearing.Interruption),
      ...noise,
    };
    return (listener) => {
      const speechToText = writerOf(() => telling(engines.listenerOf(language, modelIds), onFailure), listener);
      return openRecognition({ ...options, voiceActivity: this.voiceActivity, turnEnd: this.turnEnd, ...speechToText }, listener);
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.voiceActivity, this.suppression, this.turnEnd].map((engine) => engine.close()));
  }
}

function modelsOf({ agent }: LiveOpening): number[] {
  const { TranscribeID, FallbackTranscribeIDs } = agent.RuntimeConfiguration;
  return [TranscribeID, ...FallbackTranscribeIDs];
}

/** An engine that reports its failures to one line. */
function telling(engine: SpeechToText, onFailure: HearingRequest['onFailure']): SpeechToText {
  const { listen } = engine;
  return {
    capabilities: engine.capabilities,
    models: () => engine.models(),
    transcribe: (request) => engine.transcribe({ ...request, onFailure }),
    ...(listen && { listen: (request) => listen.call(engine, { ...request, onFailure }) }),
    close: () => engine.close(),
  };
}

/** If no engine transcribes the language, voices are still detected, and the caller is told to type. */
function writerOf(find: () => SpeechToText, listener: (event: HeardEvent) => void): { speechToText?: SpeechToText } {
  try {
    return { speechToText: find() };
  } catch {
    listener({ kind: 'deaf', code: 'SPEECH_PROVIDER_UNAVAILABLE' });
    return {};
  }
}
