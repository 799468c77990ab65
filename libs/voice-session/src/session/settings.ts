import type { RuntimeSettings } from '@parley/contracts';
import type { SpokenLanguage } from '@parley/ports';
import { type SpokenLines, spokenLines } from './spoken-lines';

/** How one call is to be held. Everything in it is plain data, so that it can stand at the head of an event log. */
export interface SessionSettings {
  readonly sessionUUID: string;
  /** Of the sound towards the caller. */
  readonly sampleRate: number;
  /** Whether the line tells when sound has been heard. */
  readonly hasMarks: boolean;
  readonly language: SpokenLanguage;
  /** Empty: the caller speaks first. */
  readonly greeting: string;
  /** Said before the greeting and never cut short; empty where nothing is recorded. */
  readonly consentLine: string;
  readonly isInterruptible: boolean;
  readonly hearsDigits: boolean;
  readonly endOfTurn: { readonly silenceMs: number; readonly dictationSilenceMs: number };
  readonly interruption: { readonly minSpeechMs: number; readonly minWords: number };
  readonly idle: { readonly afterMs: number; readonly prompts: readonly string[]; readonly goodbye: string };
  readonly fillers: readonly string[];
  /** A filler is said when the answer has made no sound for so long. */
  readonly fillerAfterMs: number;
  readonly maxCallMs: number;
  readonly lines: SpokenLines;
  /** How long the call has lasted already, where this session goes on with that of another replica. It greets nobody. */
  readonly elapsedMs?: number;
  readonly usualPauseMs?: number | undefined;
  /** Absent: whoever picks up is taken for a person. */
  readonly voicemail?: { readonly listenMs: number; readonly message: string };
}

interface ThisCall {
  readonly sessionUUID: string;
  readonly sampleRate: number;
  readonly language: SpokenLanguage;
  readonly greeting: string;
  readonly hasMarks?: boolean;
  readonly lines?: Partial<SpokenLines>;
  readonly voicemail?: SessionSettings['voicemail'];
  /** Whether anybody records the call: only then is it announced. */
  readonly isRecorded?: boolean;
  /** What a replica told that held the session before. */
  readonly goesOn?: Pick<SessionSettings, 'elapsedMs' | 'usualPauseMs'>;
}

const fillerAfterMs = 800;

/** An agent's runtime configuration as a session keeps to it. */
export function sessionSettingsOf(runtime: RuntimeSettings, call: ThisCall): SessionSettings {
  const { EndOfTurn, Interruption, IdlePrompts } = runtime;
  return {
    sessionUUID: call.sessionUUID,
    sampleRate: call.sampleRate,
    hasMarks: call.hasMarks ?? false,
    language: call.language,
    greeting: call.greeting,
    consentLine: call.isRecorded ? runtime.RecordingConsentLine : '',
    isInterruptible: Boolean(runtime.IsAllowInteruption),
    hearsDigits: Boolean(runtime.IsEnableDTMF),
    endOfTurn: EndOfTurn,
    interruption: Interruption,
    idle: IdlePrompts,
    fillers: runtime.Fillers,
    fillerAfterMs,
    maxCallMs: runtime.MaxCallSeconds * 1000,
    lines: { ...spokenLines[call.language], ...call.lines },
    ...(call.voicemail && { voicemail: call.voicemail }),
    ...call.goesOn,
  };
}
