import type {
  AnswerSource,
  ConversationChannel,
  conversationOutcomes,
  LatencyParts,
  ProviderError,
  SpeechLanguage,
  Variables,
} from '@parley/contracts';
import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';
import type { z } from 'zod';

/** A conversation with an agent. The logs list it, the turns continue it. */
@Entity({ name: 'sessions' })
export class Session {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id: number;

  @Column('int')
  orgId: number;

  @Column('uuid')
  sessionUuid: string;

  @Column('uuid')
  logKeyId: string;

  @Column('int')
  agentId: number;

  @Column('uuid')
  agentKeyId: string;

  /** The agent's name at the time, so that a log stays readable after a rename. */
  @Column('text')
  agentName: string;

  @Column('text')
  channel: z.output<typeof ConversationChannel>;

  @Column('text')
  status: 'OPEN' | 'ENDED';

  @Column('text', { nullable: true })
  outcome: (typeof conversationOutcomes)[number] | null;

  @Column('text', { nullable: true })
  endReason: string | null;

  @Column('text')
  language: SpeechLanguage;

  @Column('jsonb')
  variables: z.output<typeof Variables>;

  /** A summary of the turns before those that prompts still quote. */
  @Column('text')
  summary: string;

  @Column('bigint')
  summarizedTurnId: number;

  @Column('int')
  turnCount: number;

  /** Turns that knowledge or a tool had an answer to. */
  @Column('int')
  knownCount: number;

  @Column('int')
  promptTokens: number;

  @Column('int')
  completionTokens: number;

  @Column('text')
  preview: string;

  @Column('text', { nullable: true })
  recordingKey: string | null;

  @Column('uuid', { nullable: true })
  busyTurn: string | null;

  @Column('timestamptz', { nullable: true })
  busyUntil: Date | null;

  @Column('timestamptz')
  createdOn: Date;

  @Column('timestamptz')
  activeOn: Date;

  @Column('timestamptz', { nullable: true })
  endedOn: Date | null;

  @Column('int')
  durationSeconds: number;

  /** Seconds of the caller's sound on live lines, and of the agent's. */
  @Column('int')
  heardSeconds: number;

  @Column('int')
  spokenSeconds: number;

  /** The caller spoke, but no engine transcribed anything. */
  @Column('boolean')
  isUnheard: boolean;

  /** How long it was connected by voice before `connectedSince`, when its present line was opened. */
  @Column('int')
  connectedMs: number;

  @Column('timestamptz', { nullable: true })
  connectedSince: Date | null;

  /** How long its caller pauses within a sentence. */
  @Column('real', { nullable: true })
  usualPauseMs: number | null;

  /** Failures of engines that no turn reports; null if there are none. */
  @Column('jsonb', { nullable: true })
  providerErrors: ProviderError[] | null;
}

/**
 * RUNNING: being answered. COMPLETED: answered in full. INTERRUPTED: the listener left or spoke; what was produced is kept. FAILED:
 * no model answered. LOST: the process died. DISCARDED: the question was not finished. Only COMPLETED and INTERRUPTED turns belong to
 * history, and FAILED ones that were spoken.
 */
export type TurnStatus = 'RUNNING' | 'COMPLETED' | 'INTERRUPTED' | 'FAILED' | 'LOST' | 'DISCARDED';

/** A question and its answer: both or neither are part of a conversation. */
@Entity({ name: 'turns' })
export class Turn {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id: number;

  @Column('int')
  orgId: number;

  @Column('bigint')
  sessionId: number;

  @Column('uuid')
  turnUuid: string;

  @Column('text')
  status: TurnStatus;

  @Column('text')
  question: string;

  @Column('text')
  answer: string;

  @Column('jsonb')
  sources: z.output<typeof AnswerSource>[];

  @Column('jsonb', { nullable: true })
  latency: z.output<typeof LatencyParts> | null;

  @Column('boolean')
  isFromFaq: boolean;

  /** Knowledge or a tool had an answer to it. */
  @Column('boolean')
  isKnown: boolean;

  /** The answer said that it does not know. */
  @Column('boolean')
  isUnanswered: boolean;

  /** The knowledge base that was asked. */
  @Column('int', { nullable: true })
  kbId: number | null;

  /** Its answer is spoken, and what was heard of it is reported. */
  @Column('boolean')
  isSpoken: boolean;

  @Column('int')
  promptTokens: number;

  @Column('int')
  completionTokens: number;

  /** Seconds of audio transcribed, for a spoken question. */
  @Column('int')
  audioSeconds: number;

  /** Providers that failed in it; null if there are none. */
  @Column('jsonb', { nullable: true })
  providerErrors: ProviderError[] | null;

  @Column('timestamptz')
  askedOn: Date;

  @Column('timestamptz', { nullable: true })
  answeredOn: Date | null;
}

/** SQL condition: whether the turn's answer is spoken. Visitors of a widget may write and talk in one conversation. */
export function isSpokenTo(session: string): string {
  return `(turns.is_spoken OR ${session}.channel IN ('VOICE', 'PHONE'))`;
}

/** A spoken turn whose replica died midway. It stays in history, since the caller remembers the question and what they heard. */
const isCutShort = `turns.status = 'RUNNING' AND turns.question <> '' AND ${isSpokenTo('sessions')}
  AND sessions.busy_until < now()`;

/**
 * SQL condition: whether history includes a turn. A text client that leaves before any answer, or sees it fail, will ask again, so that
 * turn is not included. A question spoken to an agent that then failed is: its caller knows what they said, and what they heard.
 */
export const isRemembered = `(turns.status IN ('COMPLETED', 'INTERRUPTED')
  AND (turns.answer <> '' OR ${isSpokenTo('sessions')})
  OR turns.status = 'FAILED' AND turns.question <> '' AND ${isSpokenTo('sessions')} OR ${isCutShort})`;
