import type { listCampaignContacts, Campaign as PublicCampaign } from '@parley/contracts';
import { Column, Entity, Generated, PrimaryGeneratedColumn } from 'typeorm';
import type { z } from 'zod';
import type { CampaignStatus, Try } from './plan/campaign';

type Public = z.output<typeof PublicCampaign>;

/** Who is to be called by which agent, when and how fast. */
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

  /** Null for as many as there are calls. */
  @Column('int', { nullable: true })
  maxConversations: number | null;

  @Column('float8', { default: 0 })
  abandonedShareMax: number;

  /** Narrower than the organization's own limit; null for that. */
  @Column('int', { nullable: true })
  callsPerNumber: number | null;

  /** As it was sent: a day of the organization, or an instant. */
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

  /** Not as `jsonb`, which puts fields in an order of its own. */
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

  /** The organization's: for contacts without any other hint of their zone. */
  @Column('text')
  timeZone: string;

  /** It was cancelled, and contacts of it may still wait. */
  @Column('boolean', { default: false })
  needsClearing: boolean;

  /** When it last started or resumed. */
  @Column('timestamptz', { nullable: true })
  resumedAt: Date | null;

  /** Numbers that the carrier did not let it call from. */
  @Column('text', { array: true, default: () => "'{}'" })
  refusedCallers: string[];

  @Column('timestamptz', { default: () => 'now()' })
  createdOn: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updatedOn: Date;
}

type PublicContact = z.output<typeof listCampaignContacts.reply>['rows'][number];

/** A contact of a campaign, as people read it; the plan reads and writes the same rows with statements of its own. */
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

  @Column('timestamptz')
  dueAt: Date;

  @Column('jsonb')
  tries: Try[];

  @Column('text', { nullable: true })
  disposition: PublicContact['disposition'];

  @Column('jsonb', { nullable: true })
  result: PublicContact['result'];

  /** Why nothing was learned. */
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

  /** The one campaign whose events it receives; null for all of them. */
  @Column('int', { nullable: true })
  campaignId: number | null;

  @Column('text')
  url: string;

  /** Its secret. */
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

/** Where a secret belongs: sealed for one webhook, it opens for no other. */
export const sealPlaceOf = ({ orgId, keyId }: Pick<CampaignWebhook, 'orgId' | 'keyId'>): string =>
  `campaign-webhook/${orgId}/${keyId}`;
