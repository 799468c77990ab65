import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { SpeechLanguage } from '@parley/contracts';
import type { HearingRequest, NoiseSuppression, SpeechToText, TurnEnd, VoiceActivity } from '@parley/ports';
import { type HeardEvent, openRecognition, type OpenRecognition, suspectedIn } from '@parley/voice-session';
import type { SpeechEngines } from '../engines/speech-engines';
import type { LiveOpening } from './channel-line';

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
