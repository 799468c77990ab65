import { Column, Entity, Generated, PrimaryGeneratedColumn } from 'typeorm';
import type { ProviderKind } from '../providers/provider-settings';

/** An organization's own key of a provider. The key itself is among the secrets. */
@Entity({ name: 'provider_keys' })
export class ProviderKey {
  @PrimaryGeneratedColumn('identity', { generatedIdentity: 'ALWAYS' })
  id: number;

  @Column('uuid')
  @Generated('uuid')
  keyId: string;

  @Column('int')
  orgId: number;

  @Column('text')
  providerKind: ProviderKind;

  @Column('int')
  providerId: number;

  @Column('uuid')
  secretId: string;

  @Column('text')
  lastFour: string;

  @Column('text', { nullable: true })
  baseUrl: string | null;

  @Column('text', { nullable: true })
  model: string | null;

  @Column('timestamptz', { nullable: true })
  lastTestedOn: Date | null;

  @Column('boolean', { nullable: true })
  isWorking: boolean | null;

  @Column('timestamptz')
  createdOn: Date;
}
