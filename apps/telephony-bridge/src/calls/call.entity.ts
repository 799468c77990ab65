import type {
  CallRecord,
  callStateChanged,
  LatencyParts,
  SpeechLanguage,
  VoicemailPolicy,
  VoiceQuality as VoiceQualityOfCall,
} from '@parley/contracts';
import { Column, Entity, Generated, JoinColumn, ManyToOne, PrimaryGeneratedColumn } from 'typeorm';
import type { z } from 'zod';
import type { DialledAddress } from '@parley/ports';
import type { OurNumber } from '../accounts/callable-numbers';
import { CarrierAccount } from '../accounts/entities';

/** Options chosen by whoever places a call. */
interface CallWishes {
  readonly ringSeconds: number;
  readonly voicemail: VoicemailPolicy;
  readonly language?: SpeechLanguage;
  readonly variables?: Record<string, string | number | boolean | null>;
  /** The maximum for its campaign; a call answered beyond it is hung up. */
  readonly conversationsMax?: number;
}

/** The target of a transfer. */
export interface TransferPlan {
  readonly to: DialledAddress;
  readonly from: string;
  readonly ringSeconds: number;
  /** The carrier was told and is ringing the target. */
  readonly isTold?: boolean;
}

/** The target and progress of a transfer. */
export type TransferState = NonNullable<CallRecord['transfer']>;

export type CallState = CallRecord['state'];
export type CallOutcome = NonNullable<CallRecord['outcome']>;
export type CallRemark = CallRecord['remarks'][number];
export type VoiceQuality = z.output<typeof VoiceQualityOfCall>;
export type UsedCredits = Partial<CallRecord['credits']>;

/** One telephone call, from its request or arrival. */
@Entity({ name: 'calls' })
export class CallEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
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
  carrierOrder: number | null;

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

  @Column('uuid', { nullable: true })
  campaignKey: string | null;

  @Column('bigint', { nullable: true })
  contactId: number | null;

  @Column('uuid', { nullable: true })
  contactKey: string | null;

  @Column('bigint', { nullable: true })
  campaignContactId: number | null;

  @Column('uuid', { nullable: true })
  campaignContactKey: string | null;

  @Column('text')
  fromAddress: string;

  @Column('text')
  toAddress: string;

  @Column('text', { nullable: true })
  transferredTo: string | null;

  /** What the carrier is told when it asks how to continue after the media ended. */
  @Column('jsonb', { nullable: true })
  transferPlan: TransferPlan | null;

  @Column('jsonb', { nullable: true })
  transfer: TransferState | null;

  @Column('text', { nullable: true })
  cause: string | null;

  @Column('text', { nullable: true })
  causeCode: string | null;

  @Column('text', { array: true, default: () => "'{}'" })
  remarks: CallRemark[];

  @Column('jsonb')
  wishes: CallWishes;

  /** Identifies the request to place it; a second request with the same reference is the same call. */
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

  /** Increases with every change of any call of the organization. */
  @Column('bigint')
  change: number;

  @Column('timestamptz')
  updatedOn: Date;
}

/** The number on our side of a call, with the country of its account. */
export function callerOf(call: CallEntity): OurNumber {
  return { number: ourNumberOf(call), country: call.account.country };
}

/** Our number in a call, from which the target of a transfer is called. */
export function ourNumberOf({
  direction,
  toAddress,
  fromAddress,
}: Pick<CallEntity, 'direction' | 'toAddress' | 'fromAddress'>): string {
  return direction === 'INBOUND' ? toAddress : fromAddress;
}

/** A call in the form for clients. */
export function recordOf(call: CallEntity): z.input<typeof CallRecord> {
  return {
    CallKeyID: call.keyId,
    CallID: call.id,
    AgentKeyID: call.agentKey,
    AgentID: call.agentId,
    CarrierAccountKeyID: call.account.keyId,
    CarrierAccountID: call.accountId,
    CampaignKeyID: call.campaignKey,
    CampaignID: call.campaignId,
    ContactKeyID: call.contactKey,
    ContactID: call.contactId,
    carrier: call.carrier,
    carrierCallID: call.carrierCallId,
    direction: call.direction,
    state: call.state,
    outcome: call.outcome,
    from: call.fromAddress,
    to: call.toAddress,
    transferredTo: call.transferredTo,
    transfer: call.transfer,
    cause: call.cause,
    causeCode: call.causeCode,
    remarks: call.remarks,
    ...timesOf(call),
    minutes: minutesOf(call),
    credits: { TTT_API: 0, TTS_API: 0, STT_API: 0, ...call.used },
    sessionUUID: call.sessionUuid,
    turnCount: call.turnCount,
    latency: call.latency,
    recordingKey: call.recordingKey,
    UpdatedOn: call.updatedOn.toISOString(),
  };
}

/** The minutes begun since it was answered, as carriers bill: at least one for an answered call. */
function minutesOf({ answeredAt, endedAt }: CallEntity): number {
  return answeredAt && endedAt ? Math.max(1, Math.ceil((endedAt.getTime() - answeredAt.getTime()) / 60_000)) : 0;
}

/** A call in the form for events, without numbers and names. */
export function changeOf(call: CallEntity): z.input<typeof callStateChanged.payload> {
  return {
    CallKeyID: call.keyId,
    CallID: call.id,
    AgentKeyID: call.agentKey,
    AgentID: call.agentId,
    CampaignKeyID: call.campaignKey,
    CampaignID: call.campaignId,
    CampaignContactKeyID: call.campaignContactKey,
    CampaignContactID: call.campaignContactId,
    ContactKeyID: call.contactKey,
    ContactID: call.contactId,
    direction: call.direction,
    state: call.state,
    sessionUUID: call.sessionUuid,
    ...timesOf(call),
    outcome: call.outcome,
    cause: call.cause,
    causeCode: call.causeCode,
    quality: call.quality,
    transfer: call.transfer && withoutNumber(call.transfer),
  };
}

function withoutNumber({ to: _, ...transfer }: TransferState): Omit<TransferState, 'to'> {
  return transfer;
}

function timesOf(call: CallEntity) {
  return {
    queuedAt: call.queuedAt.toISOString(),
    ringingAt: call.ringingAt?.toISOString() ?? null,
    answeredAt: call.answeredAt?.toISOString() ?? null,
    endedAt: call.endedAt?.toISOString() ?? null,
    durationSeconds: call.durationSeconds,
  };
}
