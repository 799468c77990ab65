import type {
  CallRecord,
  LatencyParts,
  SpeechLanguage,
  VoicemailPolicy,
  VoiceQuality as VoiceQualityOfCall,
} from '@parley/contracts';
import { Column, Entity, Generated, JoinColumn, ManyToOne, PrimaryGeneratedColumn } from 'typeorm';
import type { z } from 'zod';
import { CarrierAccount } from '../accounts/carrier-account.entity';

/** How whoever placed a call wants it to be held. */
export interface CallWishes {
  readonly ringSeconds: number;
  readonly voicemail: VoicemailPolicy;
  readonly language?: SpeechLanguage;
  readonly variables?: Record<string, string | number | boolean | null>;
  /** Of its campaign: a call that is answered beyond them is hung up. */
  readonly conversationsMax?: number;
}

/** Whom a carrier shall connect a call with. */
export interface TransferPlan {
  readonly to: string;
  readonly from: string;
  readonly ringSeconds: number;
  /** The carrier was told, and rings. */
  readonly isTold?: boolean;
}

export type CallState = CallRecord['state'];
export type CallOutcome = NonNullable<CallRecord['outcome']>;
export type CallRemark = CallRecord['remarks'][number];
export type VoiceQuality = z.output<typeof VoiceQualityOfCall>;
export type UsedCredits = Partial<CallRecord['credits']>;

/** One telephone call, from the moment it was wanted. */
@Entity({ name: 'calls' })
export class Call {
  @PrimaryGeneratedColumn('identity', { generatedIdentity: 'ALWAYS' })
  id: number;

  @Column('uuid')
  @Generated('uuid')
  keyId: string;

  @Column('int')
  orgId: number;

  @Column('int')
  accountId: number;

  @ManyToOne(() => CarrierAccount)
  @JoinColumn({ name: 'account_id' })
  account: CarrierAccount;

  @Column('text')
  carrier: string;

  @Column('text', { nullable: true })
  carrierCallId: string | null;

  @Column('bigint', { nullable: true })
  carrierOrder: string | null;

  @Column('text')
  direction: CallRecord['direction'];

  @Column('text')
  state: CallState;

  @Column('text', { nullable: true })
  outcome: CallOutcome | null;

  @Column('int')
  agentId: number;

  @Column('uuid')
  agentKey: string;

  @Column('text')
  agentName: string;

  @Column('int', { nullable: true })
  campaignId: number | null;

  @Column('int', { nullable: true })
  contactId: number | null;

  @Column('text')
  fromAddress: string;

  @Column('text')
  toAddress: string;

  @Column('text', { nullable: true })
  transferredTo: string | null;

  /** What the carrier is told when it asks what to do after the media ended. */
  @Column('jsonb', { nullable: true })
  transferPlan: TransferPlan | null;

  @Column('text', { nullable: true })
  cause: string | null;

  @Column('text', { nullable: true })
  causeCode: string | null;

  @Column('text', { array: true, default: () => "'{}'" })
  remarks: CallRemark[];

  @Column('jsonb')
  wishes: CallWishes;

  /** That of the attempt: the same one again is the same call. */
  @Column('uuid')
  reference: string;

  @Column('timestamptz')
  queuedAt: Date;

  @Column('timestamptz', { nullable: true })
  ringingAt: Date | null;

  @Column('timestamptz', { nullable: true })
  answeredAt: Date | null;

  @Column('timestamptz', { nullable: true })
  endedAt: Date | null;

  @Column('int', { default: 0 })
  durationSeconds: number;

  @Column('uuid', { nullable: true })
  sessionUuid: string | null;

  @Column('int', { default: 0 })
  turnCount: number;

  @Column('jsonb', { default: () => "'{}'" })
  used: UsedCredits;

  @Column('jsonb', { nullable: true })
  latency: z.output<typeof LatencyParts> | null;

  @Column('jsonb', { nullable: true })
  quality: VoiceQuality | null;

  @Column('text', { nullable: true })
  recordingKey: string | null;

  /** Grows with every change of a call of the organization. */
  @Column('bigint')
  change: string;

  @Column('timestamptz')
  updatedOn: Date;
}
