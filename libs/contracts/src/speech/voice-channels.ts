import { z } from 'zod';
import { ConversationChannel, Variables } from '../conversation';
import { defineChannel } from '../messages';
import { agentKeyExample, described, sessionExample, SpeechLanguage, Uuid } from '../vocabulary';
import { ClientFrame, ServerFrame } from './socket-messages';

const audioFormat = {
  sampleRate: z.int().min(8000).max(48_000).default(16_000),
  encoding: z.enum(['pcm16', 'mulaw']).default('pcm16'),
};

/** From the door alone, never from a client: nothing more can be paid for, so the line shall say so and end politely. */
const CreditsExhausted = z.object({ type: z.literal('credits.exhausted') });

/**
 * From the door alone: the client is gone, but its conversation may go on later. The line shall say what was used and not yet
 * told, and close; the door waits for that a moment before it closes the line itself.
 */
const CallerLeft = z.object({ type: z.literal('caller.left') });

/**
 * From whoever holds a telephone line: the caller is to be given to somebody else, once the sentence being said is over. The
 * agent answers with `line.transfer`.
 */
const TransferAsked = z.object({ type: z.literal('transfer.ask'), to: z.string().max(80) });

/** The sentence is over and the agent silent: whoever holds the line connects the caller, or gives the line back. */
const LineTransfer = z.object({ type: z.literal('line.transfer'), to: z.string().max(80) });

/** Nobody took the caller: the agent goes on, and says so. */
const TransferFailed = z.object({ type: z.literal('transfer.failed') });

/** The caller was taken: the agent's part is over. */
const TransferDone = z.object({ type: z.literal('transfer.done') });

/** The line stays silent until `line.resume`: somebody else speaks on it. */
const LineHold = z.object({ type: z.literal('line.hold') });
const LineResume = z.object({ type: z.literal('line.resume') });

/** What another replica needs to go on with a session: how long it has lasted, and how long its caller pauses. */
export const LineProgress = z.object({ elapsedMs: z.number().min(0), usualPauseMs: z.number().min(0).optional() });
export type LineProgress = z.output<typeof LineProgress>;

/** From the speech service to whoever opened the line, who gives the last one back when the line has to be opened again. */
const LineProgressed = LineProgress.extend({ type: z.literal('line.progress') });

/**
 * Both ends of a voice line share one set of signals; who may send which is told by its direction. A `usage` signal says
 * what was used since the one before, so whoever pays adds them up.
 */
const VoiceSignal = described(
  'VoiceSignal',
  'A text frame of a voice line, in either direction.',
  z.union([
    ClientFrame,
    ServerFrame,
    CreditsExhausted,
    CallerLeft,
    TransferAsked,
    LineTransfer,
    TransferFailed,
    TransferDone,
    LineHold,
    LineResume,
    LineProgressed,
  ]),
  { type: 'ping' },
);

/** Why the speech service closes a line whose session is not over: it leaves at a turn's edge, and another replica takes on. */
export const voiceLineMoved = 'moved';

const Accepted = described(
  'VoiceLineAccepted',
  'The session that the line belongs to.',
  z.object({ sessionUUID: Uuid, ...audioFormat }),
  { sessionUUID: sessionExample, sampleRate: 16_000, encoding: 'pcm16' },
);

/** A live conversation with an agent: audio both ways. */
export const openVoiceSession = defineChannel({
  subject: 'speech.voice-session.open',
  opening: described(
    'VoiceSessionOpening',
    'Who talks with which agent, in which audio.',
    z.object({
      AgentKeyID: Uuid,
      sessionUUID: Uuid.optional(),
      channel: ConversationChannel.default('VOICE'),
      language: SpeechLanguage.optional(),
      variables: Variables.optional(),
      /** Whether whoever opens the line can connect the caller with somebody else. */
      canTransfer: z.boolean().default(false),
      /** Only where the line of a session that goes on is opened again. */
      goesOn: LineProgress.optional(),
      ...audioFormat,
    }),
    { AgentKeyID: agentKeyExample, channel: 'VOICE', sampleRate: 16_000, encoding: 'pcm16' },
  ),
  accepted: Accepted,
  signal: VoiceSignal,
});

/** Audio in, transcripts out; no agent. */
export const openTranscription = defineChannel({
  subject: 'speech.transcription.open',
  opening: described(
    'TranscriptionOpening',
    'Which language is spoken, in which audio.',
    z.object({ language: SpeechLanguage, ...audioFormat }),
    { language: 'hindi', sampleRate: 8000, encoding: 'mulaw' },
  ),
  accepted: Accepted,
  signal: VoiceSignal,
});
