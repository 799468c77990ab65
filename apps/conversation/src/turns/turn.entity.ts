import type { AnswerSource, LatencyParts, ProviderError } from '@parley/contracts';
import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';
import type { z } from 'zod';

/**
 * RUNNING: being answered. COMPLETED: answered whole. INTERRUPTED: the listener left or spoke, what was produced stays.
 * FAILED: no model answered. LOST: the process died on it. DISCARDED: its question was not finished.
 * Only the second and third belong to history.
 */
export type TurnStatus = 'RUNNING' | 'COMPLETED' | 'INTERRUPTED' | 'FAILED' | 'LOST' | 'DISCARDED';

/** A question and its answer: both or neither are part of a conversation. */
@Entity({ name: 'turns' })
export class Turn {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id: string;

  @Column('int')
  orgId: number;

  @Column('int')
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

  @Column('int')
  promptTokens: number;

  @Column('int')
  completionTokens: number;

  /** What was listened to, for a spoken question. */
  @Column('int')
  audioSeconds: number;

  /** Providers that failed in it; null without any. */
  @Column('jsonb', { nullable: true })
  providerErrors: ProviderError[] | null;

  @Column('timestamptz')
  askedOn: Date;

  @Column('timestamptz', { nullable: true })
  answeredOn: Date | null;
}
