import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { commaList, variableText } from '../configuration/variables';

const cipher = 'aes-256-gcm';
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;
const keyIdLength = 8;
const form = 's1';

interface SealingKey {
  readonly id: string;
  readonly key: Buffer;
}

/**
 * A sealed text that no key of this installation can open: the key is gone, the text was sealed for another place, or a byte was
 * changed.
 */
export class NotOpened extends Error {}

/**
 * Encrypts secrets so that only this installation can read them. A sealed text names its key, so that the key can be changed: add
 * the old key to PARLEY_SECRET_KEYS_OLD, re-seal everything, then remove it.
 */
export class SealedSecrets {
  private readonly current: SealingKey;
  private readonly keys: ReadonlyMap<string, SealingKey>;

  constructor({ secretKey, oldSecretKeys = [] }: { secretKey: string; oldSecretKeys?: readonly string[] }) {
    this.current = sealingKey(secretKey);
    this.keys = new Map([...oldSecretKeys.map(sealingKey), this.current].map((key) => [key.id, key]));
  }

  /** The prefix of every text sealed with the current key. */
  get currentPrefix(): string {
    return `${form}.${this.current.id}.`;
  }

  /** Seals a secret for one place, such as `provider-key/7/12`. It cannot be opened for another place. */
  seal(plain: string, place: string): string {
    const nonce = randomBytes(nonceBytes);
    const sealing = createCipheriv(cipher, this.current.key, nonce).setAAD(Buffer.from(place));
    const sealed = Buffer.concat([nonce, sealing.update(plain, 'utf8'), sealing.final(), sealing.getAuthTag()]);
    return this.currentPrefix + sealed.toString('base64url');
  }

  /** The secret in a sealed text; throws NotOpened. */
  open(sealed: string, place: string): string {
    const [found, keyId = '', body = ''] = sealed.split('.');
    const key = found === form ? this.keys.get(keyId) : undefined;
    if (!key)
      throw new NotOpened('this secret was sealed with a key that is neither PARLEY_SECRET_KEY nor in PARLEY_SECRET_KEYS_OLD');
    const bytes = Buffer.from(body, 'base64url');
    if (bytes.length < nonceBytes + tagBytes) throw new NotOpened('this secret is cut short');
    const opening = createDecipheriv(cipher, key.key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes });
    opening.setAAD(Buffer.from(place)).setAuthTag(bytes.subarray(-tagBytes));
    try {
      return Buffer.concat([opening.update(bytes.subarray(nonceBytes, -tagBytes)), opening.final()]).toString('utf8');
    } catch (cause) {
      throw new NotOpened('this secret belongs to another place, or was changed since it was sealed', { cause });
    }
  }

  /** Whether a text was sealed with the current key. */
  isCurrent(sealed: string): boolean {
    return sealed.startsWith(this.currentPrefix);
  }
}

/** Several keys are derived from the installation's secret; this one is only for sealing. */
function sealingKey(secret: string): SealingKey {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'parley/sealed-secrets', keyBytes));
  return { key, id: createHash('sha256').update(key).digest('hex').slice(0, keyIdLength) };
}

/** What a person can remember, a machine can guess. */
const lengthMin = 32;

const isLongEnough = (key: string): boolean => key.length >= lengthMin;

/** For services that store secrets, or hash what must not be guessed. */
export const SecretKeyVariables = z.object({
  PARLEY_SECRET_KEY: variableText()
    .refine(isLongEnough)
    .meta({
      expected: `at least ${lengthMin} characters, as openssl rand -hex 32 prints them`,
      description: 'The root of key hashes, of tokens and of stored credentials; the same for every service.',
      example: 'openssl rand -hex 32',
      secret: true,
    }),
  PARLEY_SECRET_KEYS_OLD: commaList()
    .refine((keys) => keys.every(isLongEnough))
    .default([])
    .meta({
      expected: `values of at least ${lengthMin} characters between commas`,
      description:
        'Former values of PARLEY_SECRET_KEY, separated by commas: they still decrypt, but nothing new is encrypted with them.',
      example: 'the-former-one,the-one-before',
      secret: true,
    }),
});
export type SecretKeyVariables = z.output<typeof SecretKeyVariables>;
