import { createHmac, hkdfSync } from 'node:crypto';
import type { KeyKind } from '@parley/contracts';
import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** An API key as stored: everything but the secret. */
@Entity({ name: 'integration_keys' })
export class IntegrationKeyRow {
  @PrimaryGeneratedColumn('identity', { generatedIdentity: 'ALWAYS' })
  id: number;

  @Column('int')
  orgId: number;

  @Column('uuid', { default: () => 'gen_random_uuid()' })
  keyId: string;

  @Column('text')
  name: string;

  @Column('text')
  kind: KeyKind;

  @Column('bytea')
  hash: Buffer;

  @Column('text')
  lastFour: string;

  @Column('uuid', { nullable: true })
  agentKeyId: string | null;

  @Column('int', { nullable: true })
  agentId: number | null;

  @Column('uuid', { nullable: true })
  memberId: string | null;

  @Column('uuid', { nullable: true })
  madeBy: string | null;

  @Column('text', { array: true })
  allowedIps: string[];

  @Column('timestamptz', { nullable: true })
  expiresAt: Date | null;

  @Column('timestamptz', { nullable: true })
  rotatedOn: Date | null;

  @Column('timestamptz', { nullable: true })
  revokedOn: Date | null;

  @Column('timestamptz', { nullable: true })
  lastUsedOn: Date | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdOn: Date;
}

const purpose = 'parley api keys v1';

/** Hashes keys with the installation's secret, so that guesses cannot be tested against a stolen table. */
export class KeyHashes {
  private readonly secrets: readonly Buffer[];

  /** The first secret is in use; keys hashed with the former ones remain valid. */
  constructor(current: string, former: readonly string[] = []) {
    this.secrets = [current, ...former].map((secret) => Buffer.from(hkdfSync('sha256', secret, '', purpose, 32)));
  }

  /** The hash to store for a key from now on. */
  current(key: string): Buffer {
    return this.all(key)[0] ?? Buffer.alloc(0);
  }

  /** Every hash that the key may be stored under, the current one first. */
  all(key: string): Buffer[] {
    return this.secrets.map((secret) => createHmac('sha256', secret).update(key).digest());
  }
}
