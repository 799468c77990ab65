import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { KeyKind } from '@parley/contracts';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const secretLength = 32;
const checksumLength = 6;
/** The largest multiple of 62 that a byte can reach; what lies above would favour the first letters. */
const fairBytes = alphabet.length * Math.floor(256 / alphabet.length);

/** How a key of each kind begins. */
export const keyPrefixes: Record<KeyKind, string> = { agt: 'agt_', ext: 'ext_api_', wsk: 'wsk_' };

const shape = /^(agt_|ext_api_|wsk_)[0-9A-Za-z]{38}$/;

/** A fresh key: prefix, 32 random letters and digits, and 6 that check the rest. */
export function newKeyText(kind: KeyKind): string {
  const unchecked = keyPrefixes[kind] + randomLetters(secretLength);
  return unchecked + checksum(unchecked);
}

/** Whether a text can be a key at all. A mistyped one cannot, and nobody has to be asked about it. */
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
