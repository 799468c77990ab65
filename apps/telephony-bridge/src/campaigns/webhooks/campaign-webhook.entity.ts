import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** An address that is told what happens to campaigns of an organization. */
@Entity({ name: 'campaign_webhooks' })
export class CampaignWebhook {
  @PrimaryGeneratedColumn('identity', { generatedIdentity: 'ALWAYS' })
  id: number;

  @Column('uuid')
  keyId: string;

  @Column('int')
  orgId: number;

  /** The one campaign that it is told of; null for all of them. */
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
