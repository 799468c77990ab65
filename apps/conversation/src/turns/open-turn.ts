import type { ConversationChannel, SpeechLanguage, Variables } from '@parley/contracts';
import type { z } from 'zod';
import type { PastTurn } from '../answers/compose-prompt';

/** A turn that is about to be answered. */
export interface NewTurn {
  readonly orgId: number;
  readonly turnUuid: string;
  readonly sessionUuid: string;
  readonly agentId: number;
  /** The question may not be finished, so it is stored only once it is. */
  readonly isSpeculative?: boolean;
  /** Its answer is spoken, and what was heard of it is reported. */
  readonly reportsHeard?: boolean;
  /** How long its caller pauses within a sentence, if that is known. */
  readonly usualPauseMs?: number | undefined;
  readonly question: string;
  readonly variables: z.output<typeof Variables>;
}

/** A session that begins with a turn. */
export interface NewSession {
  readonly agentKeyId: string;
  readonly agentName: string;
  readonly channel: z.output<typeof ConversationChannel>;
  readonly language: SpeechLanguage;
}

/** The session of a turn as it was when the turn began. */
export interface ClaimedSession {
  readonly channel: z.output<typeof ConversationChannel>;
  readonly language: SpeechLanguage;
  readonly variables: z.output<typeof Variables>;
  readonly summary: string;
  readonly summarizedTurnId: string;
}

/** What is stored with the end of a turn that was not stored before: its session, and when it started. */
export interface Unstored extends NewSession {
  readonly begunMs: number;
}

/** A turn that holds its session. */
export interface OpenTurn extends NewTurn {
  readonly unstored?: Unstored;
  /** Its session was created for it. */
  readonly isFirst?: boolean;
  readonly session: ClaimedSession;
  /** Every turn that the summary does not cover, up to a limit, oldest first. */
  readonly history: readonly PastTurn[];
  /** Settles once the turn is recorded. Until then nothing may be sent, but the answer may already be generated. */
  readonly stored: Promise<void>;
}

/** What a conversation remembers: its latest turns in full, and a line for each earlier one. */
export interface Memory {
  readonly recent: readonly PastTurn[];
  readonly summary: string;
  /** The last turn that the summary covers. */
  readonly summarizedTurnId: string;
}
