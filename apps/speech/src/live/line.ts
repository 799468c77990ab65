import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { encodeSamples, muLaw, samplesFromBytes } from '@parley/audio';
import {
  type AgentRuntime,
  chosenTranscribersOf,
  type LineProgress,
  type openVoiceSession,
  type ServerFrame,
  type SpeechLanguage,
} from '@parley/contracts';
import type { Channel } from '@parley/messaging';
import {
  forOneCall,
  type HearingRequest,
  type NoiseSuppression,
  type SpeechToText,
  type TurnEnd,
  type VoiceActivity,
} from '@parley/ports';
import { type HeardEvent, type Line, openRecognition, type OpenRecognition, suspectedIn } from '@parley/voice-session';
import type { z } from 'zod';
import type { SpeechEngines } from '../engines/speech-engines';

/** The signals that the two ends of a voice line exchange beside sound. */
export type VoiceSignal = z.output<typeof openVoiceSession.signal>;
export type VoiceChannel = Channel<VoiceSignal>;

/** What is known of a line when it is accepted. */
export interface LiveOpening {
  readonly opening: z.output<typeof openVoiceSession.opening>;
  readonly agent: AgentRuntime;
  /** The engines that the caller's organization may use. */
  readonly engines: SpeechEngines;
  readonly sessionUUID: string;
  /** Whether the session is new; a resumed one is not greeted again. */
  readonly isNew: boolean;
  /** What the conversation service knows of earlier lines of the session. */
  readonly progress?: LineProgress | undefined;
}

type LineEncoding = 'pcm16' | 'mulaw';

interface LineShape {
  readonly encoding: LineEncoding;
  /** Whether the opener of the line can transfer the caller. */
  readonly canTransfer: boolean;
}

/** The caller's end of a voice line, as a channel over the bus. */
export class ChannelLine implements Line {
  // Clients of sockets report their playback position instead of answering marks.
  readonly hasMarks = false;

  constructor(
    private readonly channel: Pick<VoiceChannel, 'send' | 'signal'>,
    private readonly shape: LineShape,
    private readonly onPlay: (samples: number) => void,
  ) {}

  play(samples: Int16Array): void {
    this.onPlay(samples.length);
    this.channel.send(encodeSamples(samples, this.shape.encoding));
  }

  /** Nothing to do: the accompanying `agent.interrupted` frame tells the client to drop its buffer. */
  clear(): void {}

  mark(): void {}

  /** `session.ended` is sent later by the session, after its usage. */
  tell(frame: ServerFrame): void {
    if (frame.type !== 'session.ended') this.channel.signal(frame);
  }

  transfer(to: string): void {
    if (this.shape.canTransfer) return this.channel.signal({ type: 'line.transfer', to });
    this.tell({ type: 'warning', code: 'TRANSFER_NOT_POSSIBLE', message: `This line cannot be connected to ${to}.` });
  }

  /** Nothing: the session closes the channel once it has reported its usage. */
  end(): void {}
}

/** Samples of a frame from the caller. */
export function samplesOf(frame: Uint8Array, encoding: LineEncoding): Int16Array {
  return encoding === 'mulaw' ? muLaw.decode(frame) : samplesFromBytes(frame);
}

/** The injection token of the engine that judges the end of a turn by prosody. */
export const TurnJudge = Symbol('turn judge');

/** The settings by which one line is recognized. */
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

/** Recognition with a voice detector and an end-of-turn model shared by all lines; speech to text uses the organization's engines. */
@Injectable()
export class EngineHearing extends LineHearing implements OnApplicationShutdown {
  constructor(
    private readonly voiceActivity: VoiceActivity,
    private readonly suppression: NoiseSuppression,
    private readonly turnEnd: TurnEnd,
  ) {
    super();
  }

  /** Lines in English are accepted even without a recognizer: callers can type, as on the demo page. */
  check({ about, language, engines }: RecognizedLine): void {
    if (language !== 'english') engines.listenerOf(language, chosenTranscribersOf(about.agent));
  }

  recognitionFor({ about, language, engines, onFailure }: RecognizedLine): OpenRecognition {
    const {
      IsEnableDTMF,
      IsBackgroundNoiceFilter,
      BackgroundNoiceFilterCount: strength,
      ...hearing
    } = about.agent.RuntimeConfiguration;
    const noise = IsBackgroundNoiceFilter && strength > 0 ? { noise: { suppression: this.suppression, strength } } : {};
    const modelIds = chosenTranscribersOf(about.agent);
    const { sampleRate } = about.opening;
    const options = {
      sampleRate,
      language,
      hearsDigits: Boolean(IsEnableDTMF),
      suspects: suspectedIn(hearing.Interruption),
      ...noise,
    };
    return (listener) => {
      const speechToText = writerOf(() => forOneCall(engines.listenerOf(language, modelIds), onFailure), listener);
      return openRecognition({ ...options, voiceActivity: this.voiceActivity, turnEnd: this.turnEnd, ...speechToText }, listener);
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.voiceActivity, this.suppression, this.turnEnd].map((engine) => engine.close()));
  }
}

/** If no engine transcribes the language, voices are still detected, and the caller is told to type. */
function writerOf(find: () => SpeechToText, listener: (event: HeardEvent) => void): { speechToText?: SpeechToText } {
  try {
    return { speechToText: find() };
  } catch {
    listener({ kind: 'recognition-failed', code: 'SPEECH_PROVIDER_UNAVAILABLE' });
    return {};
  }
}
