import { createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
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

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const secretLength = 32;
const checksumLength = 6;
/** The largest multiple of 62 within a byte; values above would favour the first letters. */
const fairBytes = alphabet.length * Math.floor(256 / alphabet.length);

/** How a key of each kind begins. */
export const keyPrefixes: Record<KeyKind, string> = { agt: 'agt_', ext: 'ext_api_', wsk: 'wsk_' };

const shape = /^(agt_|ext_api_|wsk_)[0-9A-Za-z]{38}$/;

/** A fresh key: prefix, 32 random letters and digits, and 6 that check the rest. */
export function newKeyText(kind: KeyKind): string {
  const unchecked = keyPrefixes[kind] + randomLetters(secretLength);
  return unchecked + checksum(unchecked);
}

/** Whether a text is a well-formed key. A mistyped one is not, and needs no look-up. */
export function canBeKey(text: string): boolean {
  return shape.test(text) && checksum(text.slice(0, -checksumLength)) === text.slice(-checksumLength);
}

function checksum(unchecked: string): string {
  let rest = crc32(unchecked);
  let letters = '';
  for (let place = 0; place < checksumLength; place += 1) {
    letters = alphabet.charAt(rest % alphabet.length) + letters;
    rest = Math.floor(rest / alphabet.length);
  }
  return letters;
}

function randomLetters(count: number): string {
  let letters = '';
  while (letters.length < count) {
    const fair = [...randomBytes(count)].filter((byte) => byte < fairBytes);
    letters += fair.map((byte) => alphabet.charAt(byte % alphabet.length)).join('');
  }
  return letters.slice(0, count);
}

const purpose = 'parley api keys v1';

/** Hashes keys under the installation's secret, so that a stolen table cannot be tried against guesses. */
export class KeyHashes {
  private readonly secrets: readonly Buffer[];

  /** The first secret is the one in use; the others were, and keys hashed under them still open the door. */
  constructor(current: string, former: readonly string[] = []) {
    this.secrets = [current, ...former].map((secret) => Buffer.from(hkdfSync('sha256', secret, '', purpose, 32)));
  }

  /** The hash that a key is kept under from now on. */
  current(key: string): Buffer {
    return this.all(key)[0] ?? Buffer.alloc(0);
  }

  /** Every hash that the key may be found under, the one in use first. */
  all(key: string): Buffer[] {
    return this.secrets.map((secret) => createHmac('sha256', secret).update(key).digest());
  }
}
