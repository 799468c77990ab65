import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { splitList, type SipHeaders, type SipRequest } from './sip-message';
import { parseUri, unquoted } from './sip-uri';

/** Our credentials at a trunk. */
export interface SipCredentials {
  readonly username: string;
  readonly password: string;
}

const algorithms = { MD5: 'md5', 'SHA-256': 'sha256' } as const;
/** Digest algorithms. Old phones support only MD5, and some fail on a challenge with another algorithm. */
export type DigestAlgorithm = keyof typeof algorithms;

const Challenge = z.object({
  realm: z.string().max(256),
  nonce: z.string().min(1).max(512),
  opaque: z.string().max(512).optional(),
  algorithm: z.enum(['MD5', 'SHA-256']).default('MD5'),
  qop: z.string().optional(),
  stale: z.string().optional(),
});
type DigestChallenge = z.output<typeof Challenge>;

const Answer = z.object({
  username: z.string().max(128),
  realm: z.string().max(256),
  nonce: z.string().max(512),
  uri: z.string().max(1024),
  response: z.string().regex(/^[0-9a-f]{32,64}$/i),
  algorithm: z.enum(['MD5', 'SHA-256']).default('MD5'),
  qop: z.literal('auth'),
  nc: z.string().regex(/^[0-9a-f]{8}$/i),
  cnonce: z.string().max(256),
});

/** The challenge to answer, preferring SHA-256 to MD5; undefined if we support none. */
export function challengeIn(headers: SipHeaders, name: 'WWW-Authenticate' | 'Proxy-Authenticate'): DigestChallenge | undefined {
  const challenges = digestsIn(headers, name).flatMap((fields) => {
    const parsed = Challenge.safeParse(fields);
    if (!parsed.success) return [];
    const { qop } = parsed.data;
    return qop === undefined || splitList(qop).includes('auth') ? [parsed.data] : [];
  });
  return challenges.find(({ algorithm }) => algorithm === 'SHA-256') ?? challenges[0];
}

/** The value of the header that answers a challenge. */
export function answerTo(challenge: DigestChallenge, credentials: SipCredentials, asked: AskedRequest): string {
  const { realm, nonce, opaque, algorithm, qop } = challenge;
  const cnonce = randomBytes(8).toString('hex');
  const nc = asked.count.toString(16).padStart(8, '0');
  const parts = { ...asked, ...credentials, realm, nonce, ...(qop !== undefined && { nc, cnonce }) };
  const fields = [
    `username="${credentials.username}"`,
    `realm="${realm}"`,
    `nonce="${nonce}"`,
    `uri="${asked.uri}"`,
    `response="${digest(algorithm, parts)}"`,
    `algorithm=${algorithm}`,
    ...(qop === undefined ? [] : [`cnonce="${cnonce}"`, 'qop=auth', `nc=${nc}`]),
    ...(opaque === undefined ? [] : [`opaque="${opaque}"`]),
  ];
  return `Digest ${fields.join(', ')}`;
}

/** The request to be authenticated; the count increases with each request under one nonce. */
interface AskedRequest {
  readonly method: string;
  readonly uri: string;
  readonly count: number;
}

/** The request whose authorization is checked. */
type JudgedRequest = Pick<SipRequest, 'headers' | 'method' | 'uri'>;

type Verdict = { readonly kind: 'accepted'; readonly username: string } | { readonly kind: 'challenge'; readonly stale: boolean };

const nonceLifeMs = 300_000;
const noncesMax = 10_000;

/** Challenges callers and checks their answers. A nonce must be ours and recent, and each count under it is valid once. */
export class DigestGuard {
  private readonly secret = randomBytes(32);
  private readonly counts = new LRUCache<string, number>({ max: noncesMax });

  constructor(
    private readonly realm: string,
    private readonly passwordOf: (username: string) => Promise<string | undefined>,
    /** The stronger one first (RFC 8760). */
    private readonly accepted: readonly DigestAlgorithm[] = ['SHA-256', 'MD5'],
  ) {}

  /** Values for WWW-Authenticate. */
  challenges(stale: boolean, nowMs = Date.now()): string[] {
    const nonce = this.nonceAt(nowMs);
    const rest = `qop="auth"${stale ? ', stale=true' : ''}`;
    return this.accepted.map((name) => `Digest realm="${this.realm}", nonce="${nonce}", algorithm=${name}, ${rest}`);
  }

  /** Checks a request. The signed address must name the same user, but may name any host, since gateways rewrite it (RFC 3261 22.4). */
  async judge({ headers, method, uri }: JudgedRequest, nowMs = Date.now()): Promise<Verdict> {
    for (const fields of digestsIn(headers, 'Authorization')) {
      const parsed = Answer.safeParse(fields);
      if (!parsed.success || parsed.data.realm !== this.realm) continue;
      const { username, algorithm, response, nonce, nc } = parsed.data;
      if (!this.accepted.includes(algorithm) || !isForSameUser(parsed.data.uri, uri)) continue;
      const password = await this.passwordOf(username);
      const expected = digest(algorithm, { ...parsed.data, password: password ?? randomBytes(16).toString('hex'), method });
      if (!isSame(expected, response.toLowerCase()) || password === undefined) continue;
      return this.isFresh(nonce, Number.parseInt(nc, 16), nowMs)
        ? { kind: 'accepted', username }
        : { kind: 'challenge', stale: true };
    }
    return { kind: 'challenge', stale: false };
  }

  private nonceAt(nowMs: number): string {
    const made = `${nowMs.toString(36)}.${randomBytes(6).toString('hex')}`;
    return `${made}.${this.signed(made)}`;
  }

  private isFresh(nonce: string, count: number, nowMs: number): boolean {
    const cut = nonce.lastIndexOf('.');
    const made = nonce.slice(0, Math.max(0, cut));
    const madeMs = Number.parseInt(made.split('.')[0] ?? '', 36);
    if (!isSame(this.signed(made), nonce.slice(cut + 1)) || !(nowMs - madeMs < nonceLifeMs)) return false;
    if (count <= (this.counts.get(nonce) ?? 0)) return false;
    this.counts.set(nonce, count);
    return true;
  }

  private signed(made: string): string {
    return createHmac('sha256', this.secret).update(made).digest('hex').slice(0, 32);
  }
}

/** Some clients sign only the server's address, without a user. */
function isForSameUser(signed: string, asked: string): boolean {
  if (signed === asked) return true;
  const named = parseUri(signed);
  return named !== undefined && (named.user === undefined || named.user === parseUri(asked)?.user);
}

interface DigestParts extends SipCredentials {
  readonly realm: string;
  readonly nonce: string;
  readonly method: string;
  readonly uri: string;
  readonly nc?: string;
  readonly cnonce?: string;
}

function digest(algorithm: DigestAlgorithm, parts: DigestParts): string {
  const hash = (text: string): string => createHash(algorithms[algorithm]).update(text).digest('hex');
  const who = hash(`${parts.username}:${parts.realm}:${parts.password}`);
  const what = hash(`${parts.method}:${parts.uri}`);
  const once = parts.nc === undefined ? parts.nonce : `${parts.nonce}:${parts.nc}:${parts.cnonce ?? ''}:auth`;
  return hash(`${who}:${once}:${what}`);
}

/** Parses `Digest a="1", b=2`. Each line contains one challenge, since commas separate its fields. */
function digestsIn(headers: SipHeaders, name: string): Record<string, string>[] {
  return headers.lines(name).flatMap((line) => {
    const rest = /^Digest[ \t]+(.*)$/i.exec(line)?.[1];
    if (rest === undefined) return [];
    const fields = splitList(rest).map((part): [string, string] => {
      const [field = '', ...value] = part.split('=');
      return [field.trim().toLowerCase(), unquoted(value.join('=').trim())];
    });
    const known = Object.fromEntries(fields);
    return [typeof known['algorithm'] === 'string' ? { ...known, algorithm: known['algorithm'].toUpperCase() } : known];
  });
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
