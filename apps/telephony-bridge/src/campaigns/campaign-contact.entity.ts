import type { listCampaignContacts } from '@parley/contracts';
import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';
import type { z } from 'zod';
import type { Try } from './plan/campaign';

type Public = z.output<typeof listCampaignContacts.reply>['rows'][number];

/** Somebody whom a campaign calls, as people read it; the plan reads and writes the same rows by statements of its own. */
@Entity({ name: 'campaign_contacts' })
export class CampaignContact {
  @PrimaryGeneratedColumn('identity', { generatedIdentity: 'ALWAYS' })
  id: number;

  @Column('uuid')
  keyId: string;

  @Column('int')
  orgId: number;

  @Column('int')
  campaignId: number;

  @Column('int', { nullable: true })
  contactId: number | null;

  @Column('text')
  name: string;

  @Column('text')
  number: string;

  @Column('text')
  region: string;

  @Column('jsonb')
  variables: Public['variables'];

  @Column('text')
  state: Public['state'];

  @Column('timestamptz')
  dueAt: Date;

  @Column('jsonb')
  tries: Try[];

  @Column('text', { nullable: true })
  disposition: Public['disposition'];

  @Column('jsonb', { nullable: true })
  result: Public['result'];

  /** Why nothing was learned. */
  @Column('text', { nullable: true })
  resultReason: string | null;

  @Column('text', { nullable: true })
  cause: string | null;

  @Column('uuid', { nullable: true })
  callKey: string | null;

  @Column('int', { nullable: true })
  callId: number | null;

  @Column('timestamptz')
  createdOn: Date;

  @Column('timestamptz')
  updatedOn: Date;
}
