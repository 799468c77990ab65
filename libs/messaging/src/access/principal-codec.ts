import { Principal } from '@parley/contracts';
import { LRUCache } from 'lru-cache';

/** How a principal is written in front of a message and read again. */
export interface PrincipalCodec {
  /** One line of ASCII that whoever reads it within this time believes. Throws when this process may not speak for the principal. */
  encode(principal: Principal, neededMs: number): string;
  /** Throws when nobody who may do so vouches for it: nobody works for a principal that is unknown. */
  decode(text: string): Principal;
}

/** Principals that are remembered, as text and as what it stands for. A gateway sends the same few over and over. */
export const principalsKeptMax = 2000;

/** A principal as JSON in which a character is a byte, so that nobody has to count. */
export function principalJson(principal: Principal): string {
  return JSON.stringify(principal).replace(/[^ -~]/g, escapeCharacter);
}

/** Reads what `principalJson` wrote. It is shared between calls, so nobody can change it. */
export function parsePrincipal(json: string): Principal {
  return deepFreeze(Principal.parse(JSON.parse(json)));
}

/** For one process, and for brokers that only tests reach: what is said is believed. */
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
