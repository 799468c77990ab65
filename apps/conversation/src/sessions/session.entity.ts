import type { ConversationChannel, conversationOutcomes, SpeechLanguage, Variables } from '@parley/contracts';
import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';
import type { z } from 'zod';

/** A conversation with an agent. The logs list it, the turns continue it. */
@Entity({ name: 'sessions' })
export class Session {
  @PrimaryGeneratedColumn('identity', { generatedIdentity: 'ALWAYS' })
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

  /** What was said before the turns that the prompt still quotes. */
  @Column('text')
  summary: string;

  @Column('bigint')
  summarizedTurnId: string;

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
}
