import { createHash, randomBytes } from 'node:crypto';

const tokenBytes = 32;

/** A token for one invitation. Only its hash is kept; with 256 random bits there is nothing that a slow hash would protect. */
export function newInviteToken(): { token: string; hash: Buffer } {
  const token = `inv_${randomBytes(tokenBytes).toString('base64url')}`;
  return { token, hash: hashOfToken(token) };
}

/** What is kept of a token. */
export function hashOfToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
