import { patiences, type RuntimeSettings } from '@parley/contracts';
import type { SpokenLanguage } from '@parley/ports';

/** The settings of one call. All plain data, so that they can be the first entry of an event log. */
export interface SessionSettings {
  readonly sessionUUID: string;
  /** Of the sound sent to the caller. */
  readonly sampleRate: number;
  /** Whether the line reports when sound was heard. */
  readonly hasMarks: boolean;
  readonly language: SpokenLanguage;
  /** Empty: the caller speaks first. */
  readonly greeting: string;
  /** Said before the greeting and never interrupted; empty if the call is not recorded. */
  readonly consentLine: string;
  readonly isInterruptible: boolean;
  readonly hearsDigits: boolean;
  readonly endOfTurn: { readonly silenceMs: number; readonly dictationSilenceMs: number };
  readonly interruption: { readonly minSpeechMs: number; readonly minWords: number };
  readonly idle: { readonly afterMs: number; readonly prompts: readonly string[]; readonly goodbye: string };
  readonly fillers: readonly string[];
  /** The first filler is said after this much silence. Later ones, and a default line if the agent has no fillers, wait as long as idle prompts. */
  readonly fillerAfterMs: number;
  readonly maxCallMs: number;
  readonly lines: SpokenLines;
  /** Whether this session continues another replica's. No greeting is played then. */
  readonly isContinued?: boolean;
  /** How long the caller was connected before, on other lines of the same conversation. */
  readonly elapsedMs?: number;
  readonly usualPauseMs?: number | undefined;
  /** What the agent last said there. */
  readonly asked?: string | undefined;
  /** What the caller typed there and nobody answered. */
  readonly waiting?: readonly string[] | undefined;
  /** Absent: voicemail is not detected. */
  readonly voicemail?: { readonly listenMs: number; readonly message: string };
  /** The call ends after this many consecutive turns that could not be transcribed. Absent: never. */
  readonly untranscribedTurnsMax?: number;
}

interface CallSettings {
  readonly sessionUUID: string;
  readonly sampleRate: number;
  readonly language: SpokenLanguage;
  readonly greeting: string;
  readonly hasMarks?: boolean;
  readonly lines?: Partial<SpokenLines>;
  readonly voicemail?: SessionSettings['voicemail'];
  readonly untranscribedTurnsMax?: number;
  /** If so, the recording is announced. */
  readonly isRecorded?: boolean;
  readonly isContinued?: boolean;
  /** What is known of the lines before this one. */
  readonly before?: Pick<SessionSettings, 'elapsedMs' | 'usualPauseMs' | 'asked' | 'waiting'>;
}

const fillerAfterMs = 800;

/** An agent's runtime configuration as session settings. */
export function sessionSettingsOf(runtime: RuntimeSettings, call: CallSettings): SessionSettings {
  const { Patience, IdlePrompts } = runtime;
  const { EndOfTurn, Interruption } = Patience ? patiences[Patience] : runtime;
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
    ...(call.untranscribedTurnsMax !== undefined && { untranscribedTurnsMax: call.untranscribedTurnsMax }),
    ...(call.isContinued && { isContinued: true }),
    ...call.before,
  };
}

/** Whether the agent says something to a caller who is silent for long. */
export function hasIdleLines({ prompts, goodbye }: SessionSettings['idle']): boolean {
  return prompts.length > 0 || goodbye !== '';
}

/** What an agent says when something goes wrong. */
interface SpokenLines {
  readonly apology: string;
  readonly oneMoment: string;
  readonly notUnderstood: string;
  readonly cannotHear: string;
  readonly creditsExhausted: string;
  readonly timeIsUp: string;
  readonly notTransferred: string;
}

/** The defaults in each language. */
export const spokenLines: Record<SpokenLanguage, SpokenLines> = {
  english: {
    apology: 'I am sorry, something went wrong. Could you say that again?',
    oneMoment: 'One moment, please.',
    notUnderstood: 'I am sorry, I could not hear you. Could you say that again?',
    cannotHear: 'I am sorry, I cannot hear you, so I have to end our call here. Please try again later. Goodbye.',
    creditsExhausted: 'I am sorry, I have to end our call here. Goodbye.',
    timeIsUp: 'Our time is up, so I have to end the call here. Thank you, and goodbye.',
    notTransferred: 'I am sorry, nobody could take the call. How else can I help you?',
  },
  hindi: {
    apology: 'माफ़ कीजिए, कुछ गड़बड़ हो गई। क्या आप फिर से कहेंगे?',
    oneMoment: 'एक क्षण रुकिए।',
    notUnderstood: 'माफ़ कीजिए, मैं सुन नहीं पाई। क्या आप फिर से कहेंगे?',
    cannotHear: 'माफ़ कीजिए, मुझे आपकी आवाज़ सुनाई नहीं दे रही, इसलिए मुझे कॉल यहीं समाप्त करनी होगी। कृपया बाद में फिर कॉल करें। नमस्ते।',
    creditsExhausted: 'माफ़ कीजिए, मुझे अब कॉल यहीं समाप्त करनी होगी। नमस्ते।',
    timeIsUp: 'हमारा समय पूरा हो गया है, इसलिए मुझे कॉल यहीं समाप्त करनी होगी। धन्यवाद, नमस्ते।',
    notTransferred: 'माफ़ कीजिए, अभी कोई फ़ोन नहीं उठा सका। मैं और कैसे मदद कर सकती हूँ?',
  },
  marathi: {
    apology: 'माफ करा, काहीतरी चूक झाली. कृपया पुन्हा सांगाल का?',
    oneMoment: 'एक क्षण थांबा.',
    notUnderstood: 'माफ करा, मला ऐकू आले नाही. कृपया पुन्हा सांगाल का?',
    cannotHear: 'माफ करा, मला तुमचे बोलणे ऐकू येत नाही, त्यामुळे मला कॉल इथेच संपवावा लागेल. कृपया नंतर पुन्हा कॉल करा. नमस्कार.',
    creditsExhausted: 'माफ करा, मला आता कॉल इथेच संपवावा लागेल. नमस्कार.',
    timeIsUp: 'आपली वेळ संपली आहे, त्यामुळे मला कॉल इथेच संपवावा लागेल. धन्यवाद, नमस्कार.',
    notTransferred: 'माफ करा, आत्ता कोणी फोन घेऊ शकले नाही. मी आणखी कशी मदत करू?',
  },
};
