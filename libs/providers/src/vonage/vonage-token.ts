import { createHmac, createSign, randomUUID } from 'node:crypto';
import { z } from 'zod';
import { isSame } from '../carrier-http';

const tokenSeconds = 900;
const driftSeconds = 300;

const Header = z.object({ alg: z.literal('HS256') });
const Claims = z.object({
  iat: z.number(),
  exp: z.number().optional(),
  jti: z.string().min(1).optional(),
  payload_hash: z.string().optional(),
  application_id: z.string().optional(),
});
export type VonageClaims = z.output<typeof Claims>;

const coded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A token by which the Voice API knows our application. */
export function applicationToken(
  { applicationId, privateKey }: { applicationId: string; privateKey: string },
  now: Date,
): string {
  const iat = Math.floor(now.getTime() / 1000);
  const claims = { application_id: applicationId, iat, exp: iat + tokenSeconds, jti: randomUUID() };
  const text = `${coded({ alg: 'RS256', typ: 'JWT' })}.${coded(claims)}`;
  return `${text}.${createSign('RSA-SHA256').update(text).sign(privateKey, 'base64url')}`;
}

/** The claims of a token that Vonage signed with the account's signature secret within five minutes of now; else why not. */
export function vonageClaims(token: string, secret: string, now: Date): VonageClaims | string {
  const [header = '', payload = '', signature = '', ...more] = token.split('.');
  if (more.length > 0 || !Header.safeParse(decoded(header)).success) return 'the token is not one of HS256';
  const expected = createHmac('sha256', secret).update(`${header}.${payload}`).digest('base64url');
  if (!isSame(signature, expected)) return 'the token is signed with another secret';
  const claims = Claims.safeParse(decoded(payload)).data;
  if (!claims) return 'the token claims nothing that is known';
  const seconds = now.getTime() / 1000;
  if (Math.abs(seconds - claims.iat) > driftSeconds) return 'the token is not of now';
  return claims.exp !== undefined && claims.exp < seconds ? 'the token has expired' : claims;
}

function decoded(part: string): unknown {
  try {
    const json: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return json;
  } catch {
    return undefined;
  }
}
