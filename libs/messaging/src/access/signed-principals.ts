import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto';
import { Fault, Principal, serviceNames } from '@parley/contracts';
import { LRUCache } from 'lru-cache';

/** How a principal is encoded before a message's body, and decoded again. */
export interface PrincipalCodec {
  /** One line of ASCII, valid for this long. Throws if this process may not speak for the principal. */
  encode(principal: Principal, neededMs: number): string;
  /** Throws unless a caller that may speak for the principal vouches for it: unverified principals get no work done. */
  decode(text: string): Principal;
}

/** How many principals are cached, both as text and parsed. A gateway sends the same few over and over. */
const principalsKeptMax = 2000;

/** A principal as pure ASCII JSON, so that its length in characters is its length in bytes. */
export function principalJson(principal: Principal): string {
  return JSON.stringify(principal).replace(/[^ -~]/g, escapeCharacter);
}

/** Freezes a principal that many calls share, so that its text is composed only once. */
export function frozenPrincipal(principal: Principal): Principal {
  return deepFreeze(principal);
}

/** Reads what `principalJson` wrote. The result is shared between calls. */
function parsePrincipal(json: string): Principal {
  return frozenPrincipal(Principal.parse(JSON.parse(json)));
}

/** Trusts every principal: for a single process, and for brokers that only tests can reach. */
export class PlainPrincipals implements PrincipalCodec {
  private readonly texts = new WeakMap<Principal, string>();
  private readonly known = new LRUCache<string, Principal>({ max: principalsKeptMax });

  encode(principal: Principal): string {
    let text = this.texts.get(principal);
    if (text === undefined) this.texts.set(principal, (text = principalJson(principal)));
    return text;
  }

  decode(text: string): Principal {
    const known = this.known.get(text);
    if (known) return known;
    const principal = parsePrincipal(text);
    this.known.set(text, principal);
    return principal;
  }
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function deepFreeze<T extends object>(value: T): T {
  for (const part of Object.values(value)) if (typeof part === 'object' && part !== null) deepFreeze(part);
  return Object.freeze(value);
}

/**
 * A call lasts at most two minutes; a signature is valid for a minute longer, so that it can be reused and few calls pay for
 * signing.
 */
const callMs = 120_000;
const callSignatureMs = 180_000;
/** How long the signature that opens a line is valid, because requests caused by the line pass it on. */
export const channelMs = 4 * 3_600_000;
/** Machines whose clocks differ by more than this have other problems. */
const clockSkewMs = 5_000;

interface Signed {
  readonly text: string;
  readonly untilMs: number;
}

interface VerifiedText {
  readonly principal: Principal;
  readonly untilMs: number;
}

interface Parties {
  readonly caller: Caller;
  /** Absent for a process that never asserts a principal and only forwards the one it was called with. */
  readonly privateKey?: KeyObject;
  readonly callers: readonly CallerKey[];
}

/**
 * Signs and verifies principals. A process that asserts one signs it with its own key for a few minutes; all services know the
 * public keys. A service forwards the signed text it was called with. The gateway, which authenticates clients, may speak for any
 * of them; so may the operator's command, under its own name. A service may speak as itself for an organization, without a member
 * and permissions. Everything else is refused by both sender and receiver.
 */
export class SignedPrincipals implements PrincipalCodec {
  private readonly received = new WeakMap<Principal, string>();
  private readonly jsonOf = new WeakMap<Principal, string>();
  private readonly signed = new LRUCache<string, Signed>({ max: principalsKeptMax });
  private readonly verifiedTexts = new LRUCache<string, VerifiedText>({ max: principalsKeptMax });

  constructor(private readonly parties: Parties) {
    const { privateKey, caller, callers } = parties;
    const own = privateKey && createPublicKey(privateKey);
    if (own && !callers.some((known) => known.caller === caller && known.key.equals(own)))
      throw new TypeError(`the public half of the call key of ${caller} is not among the callers`);
  }

  encode(principal: Principal, neededMs: number): string {
    const received = this.received.get(principal);
    if (received !== undefined) return received;
    const json = this.textOf(principal);
    const isForChannel = neededMs > callMs;
    const name = isForChannel ? `line ${json}` : json;
    const nowMs = Date.now();
    const known = this.signed.get(name);
    if (known && known.untilMs - nowMs >= neededMs) return known.text;
    const fresh = this.sign(principal, json, nowMs + (isForChannel ? neededMs + callMs : callSignatureMs));
    this.signed.set(name, fresh);
    return fresh.text;
  }

  decode(text: string): Principal {
    let known = this.verifiedTexts.get(text);
    if (!known) this.verifiedTexts.set(text, (known = this.verified(text)));
    if (known.untilMs + clockSkewMs < Date.now()) throw refused('its signature has expired');
    return known.principal;
  }

  private textOf(principal: Principal): string {
    let json = this.jsonOf.get(principal);
    if (json === undefined) {
      json = principalJson(principal);
      // A mutable principal is signed each time, because the signature covers its current content.
      if (Object.isFrozen(principal)) this.jsonOf.set(principal, json);
    }
    return json;
  }

  private sign(principal: Principal, json: string, untilMs: number): Signed {
    const { caller, privateKey } = this.parties;
    if (!privateKey) throw refused(`${caller} has no call key`);
    if (!maySpeakFor(caller, principal)) throw refused(`${caller} may not speak for it`);
    const claim = `${json} ${caller} ${untilMs.toString(36)}`;
    const signature = sign(null, signedBytes(claim), privateKey);
    return { text: `${claim} ${signature.toString('base64url')}`, untilMs };
  }

  private verified(text: string): VerifiedText {
    const claimEnd = text.lastIndexOf(' ');
    const claim = text.slice(0, claimEnd);
    const jsonEnd = claim.lastIndexOf('}') + 1;
    const [caller = '', until = ''] = claim.slice(jsonEnd + 1).split(' ');
    const signature = Buffer.from(text.slice(claimEnd + 1), 'base64url');
    const bytes = signedBytes(claim);
    const signer = this.parties.callers.find((each) => each.caller === caller && verify(null, bytes, each.key, signature));
    if (!signer) throw refused('nobody vouches for it');
    const principal = parsePrincipal(claim.slice(0, jsonEnd));
    if (!maySpeakFor(signer.caller, principal)) throw refused(`${signer.caller} may not speak for it`);
    this.received.set(principal, text);
    return { principal, untilMs: Number.parseInt(until, 36) };
  }
}

// Only the gateway can know who holds a key, or what a member may do.
function maySpeakFor(caller: Caller, { kind, keyId, memberId, userId, roleTypeId, permissions }: Principal): boolean {
  if (caller === 'gateway' || caller === 'host') return true;
  // An operator may act in any organization, but always as the operator, so that no action is attributed to anyone else.
  if (caller === 'admin') return kind === 'system' && keyId === caller;
  const isPerson = [memberId, userId, roleTypeId, permissions].some((field) => field !== undefined);
  return kind === 'system' && keyId === caller && !isPerson;
}

function signedBytes(claim: string): Buffer {
  // The prefix keeps a signature from being valid in any other context.
  return Buffer.from(`parley principal 1\n${claim}`, 'latin1');
}

function refused(why: string): Fault {
  return new Fault('INTERNAL', { cause: new Error(`a principal was refused: ${why}`) });
}

/** Every caller: the services, the operator's command, and the host that sets up a platform on one machine. */
export const callers = [...serviceNames, 'admin', 'host'] as const;
export type Caller = (typeof callers)[number];

/** Callers that assert principals: the gateway for its clients, the others as themselves for an organization. */
export const callersWithKeys = ['gateway', 'agent-config', 'telephony-bridge', 'admin'] as const satisfies Caller[];

/** The public half of a caller's key. While a key is being changed, a caller may have several. */
interface CallerKey {
  readonly caller: Caller;
  readonly key: KeyObject;
}

const seedBytes = 32;
/** The PKCS #8 header before the 32 bytes of an Ed25519 key. */
const privateHead = Buffer.from('302e020100300506032b657004220420', 'hex');

/** A private key from 32 bytes in base64url. Throws for anything else. */
export function privateCallKey(seed: string): KeyObject {
  const bytes = Buffer.from(seed, 'base64url');
  if (bytes.byteLength !== seedBytes) throw new TypeError('a call key is 32 bytes in base64url');
  return createPrivateKey({ key: Buffer.concat([privateHead, bytes]), format: 'der', type: 'pkcs8' });
}

/** Parses `gateway:<public key>`, as `newCallKey` writes it. Throws for an unknown caller or an invalid key. */
export function callerKey(text: string): CallerKey {
  const [name = '', x = ''] = text.split(':');
  const caller = callers.find((known) => known === name);
  if (!caller || Buffer.from(x, 'base64url').byteLength !== seedBytes) throw new TypeError('expected gateway:<public key>');
  return { caller, key: createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' }) };
}

/** Generates a caller's key pair: the secret half for the caller, the public half for all services. */
export function newCallKey(caller: Caller): { seed: string; publicKey: string } {
  const { privateKey } = generateKeyPairSync('ed25519');
  const { d = '', x = '' } = privateKey.export({ format: 'jwk' });
  return { seed: d, publicKey: `${caller}:${x}` };
}
