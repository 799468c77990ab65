import type { listCampaignContacts, Campaign as PublicCampaign } from '@parley/contracts';
import { Column, Entity, Generated, PrimaryGeneratedColumn } from 'typeorm';
import type { z } from 'zod';
import type { CampaignStatus, Try } from './plan/campaign';

type Public = z.output<typeof PublicCampaign>;

/** A campaign: whom an agent calls, when and how fast. */
@Entity({ name: 'campaigns' })
export class Campaign {
  @PrimaryGeneratedColumn('identity', { generatedIdentity: 'ALWAYS' })
  id: number;

  @Column('uuid')
  @Generated('uuid')
  keyId: string;

  @Column('int')
  orgId: number;

  @Column('text')
  name: string;

  @Column('int')
  agentId: number;

  @Column('uuid')
  agentKey: string;

  @Column('text')
  callerNumber: string;

  @Column('text', { array: true })
  moreCallerNumbers: string[];

  @Column('jsonb')
  callingHours: Public['CallingHours'];

  @Column('jsonb')
  retry: Public['Retry'];

  @Column('int')
  callsPerMinute: number;

  @Column('int')
  maxConcurrentCalls: number;

  /** Null for no limit other than that of calls. */
  @Column('int', { nullable: true })
  maxConversations: number | null;

  @Column('float8', { default: 0 })
  abandonedShareMax: number;

  /** A lower limit than the organization's; null for the organization's. */
  @Column('int', { nullable: true })
  callsPerNumber: number | null;

  /** As it was sent: a date in the organization's time zone, or an instant. */
  @Column('text', { nullable: true })
  startDate: string | null;

  @Column('text', { nullable: true })
  endDate: string | null;

  @Column('timestamptz', { nullable: true })
  startsAt: Date | null;

  @Column('timestamptz', { nullable: true })
  endsAt: Date | null;

  @Column('jsonb')
  voicemail: Public['voicemail'];

  @Column('int')
  ringSeconds: number;

  /** Not `jsonb`, which does not keep the order of fields. */
  @Column('json', { nullable: true })
  resultSchema: Public['ResultSchema'];

  @Column('text', { array: true })
  holidays: string[];

  @Column('int', { nullable: true })
  creditBudget: number | null;

  @Column('text')
  status: CampaignStatus;

  /** The reason for its state, when it was not requested. */
  @Column('text', { nullable: true })
  statusReason: string | null;

  /** The regions of its contacts: see `regionKey`. Updated when contacts are added. */
  @Column({ type: 'text', array: true, default: () => "'{}'", insert: false, update: false })
  regions: string[];

  /** The organization's, for contacts whose zone cannot be determined otherwise. */
  @Column('text')
  timeZone: string;

  /** Whether it was cancelled while contacts were waiting, which are still being cancelled. */
  @Column('boolean', { default: false })
  needsClearing: boolean;

  /** When it last started or resumed. */
  @Column('timestamptz', { nullable: true })
  resumedAt: Date | null;

  /** Caller numbers that the carrier rejected. */
  @Column('text', { array: true, default: () => "'{}'" })
  refusedCallers: string[];

  @Column('timestamptz', { default: () => 'now()' })
  createdOn: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updatedOn: Date;
}

type PublicContact = z.output<typeof listCampaignContacts.reply>['rows'][number];

/** A contact of a campaign, for reading; the engine's store reads and writes the same rows by its own statements. */
@Entity({ name: 'campaign_contacts' })
export class CampaignContact {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id: number;

  @Column('uuid')
  keyId: string;

  @Column('int')
  orgId: number;

  @Column('int')
  campaignId: number;

  @Column('bigint', { nullable: true })
  contactId: number | null;

  @Column('uuid', { nullable: true })
  contactKey: string | null;

  @Column('text')
  name: string;

  @Column('text')
  number: string;

  @Column('text')
  region: string;

  @Column('jsonb')
  variables: PublicContact['variables'];

  @Column('text')
  state: PublicContact['state'];

  /** The contact was deleted from the organization. */
  @Column('boolean')
  isWithdrawn: boolean;

  @Column('timestamptz')
  dueAt: Date;

  @Column('jsonb')
  tries: Try[];

  @Column('text', { nullable: true })
  disposition: PublicContact['disposition'];

  @Column('jsonb', { nullable: true })
  result: PublicContact['result'];

  /** Why no result was extracted. */
  @Column('text', { nullable: true })
  resultReason: string | null;

  @Column('text', { nullable: true })
  cause: string | null;

  @Column('uuid', { nullable: true })
  callKey: string | null;

  @Column('bigint', { nullable: true })
  callId: number | null;

  @Column('timestamptz')
  createdOn: Date;

  @Column('timestamptz')
  updatedOn: Date;
}

/** An address that receives an organization's campaign events. */
@Entity({ name: 'campaign_webhooks' })
export class CampaignWebhook {
  @PrimaryGeneratedColumn('identity', { generatedIdentity: 'ALWAYS' })
  id: number;

  @Column('uuid')
  keyId: string;

  @Column('int')
  orgId: number;

  /** The only campaign whose events it receives; null for all. */
  @Column('int', { nullable: true })
  campaignId: number | null;

  @Column('text')
  url: string;

  @Column('text')
  sealed: string;

  @Column('boolean')
  isActive: boolean;

  @Column('timestamptz', { nullable: true })
  lastDeliveredOn: Date | null;

  @Column('text', { nullable: true })
  lastFailure: string | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdOn: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updatedOn: Date;
}

/** The context for which a webhook's secret is sealed; it cannot be opened in another. */
export const sealPlaceOf = ({ orgId, keyId }: Pick<CampaignWebhook, 'orgId' | 'keyId'>): string =>
  `campaign-webhook/${orgId}/${keyId}`;
