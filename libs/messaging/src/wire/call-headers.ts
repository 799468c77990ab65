import { Principal } from '@parley/contracts';
import type { PacketHeaders } from '../transport/transport';

const names = {
  requestId: 'Parley-Request-Id',
  principal: 'Parley-Principal',
  organization: 'Parley-Organization',
  leftMs: 'Parley-Left-Ms',
  traceparent: 'traceparent',
  tracestate: 'tracestate',
} as const;

/** What a message says of the call that it belongs to. What is left of the deadline travels, not its hour: clocks differ. */
export interface CallHeaders {
  readonly requestId: string;
  readonly leftMs: number;
  readonly principal?: Principal;
  readonly traceparent?: string;
  readonly tracestate?: string;
}

const principalTexts = new WeakMap<Principal, string>();
const principalsByText = new Map<string, Principal>();
const principalsKeptMax = 2000;

/** Lays a call out as headers of a packet. */
export function encodeCallHeaders(call: CallHeaders): PacketHeaders {
  const headers: Record<string, string> = { [names.requestId]: call.requestId, [names.leftMs]: String(Math.ceil(call.leftMs)) };
  if (call.principal) {
    headers[names.principal] = textOfPrincipal(call.principal);
    headers[names.organization] = String(call.principal.orgId);
  }
  if (call.traceparent) headers[names.traceparent] = call.traceparent;
  if (call.tracestate) headers[names.tracestate] = call.tracestate;
  return headers;
}

/** Reads the call of a packet. Throws when a header that is there cannot be read: nobody works for an unknown principal. */
export function decodeCallHeaders(headers: PacketHeaders): CallHeaders {
  const leftMs = Number(headers[names.leftMs]);
  const principal = headers[names.principal];
  return {
    requestId: headers[names.requestId] ?? 'unknown',
    leftMs: Number.isFinite(leftMs) ? leftMs : 0,
    ...(principal === undefined ? {} : { principal: principalOf(principal) }),
    ...(headers[names.traceparent] ? { traceparent: headers[names.traceparent] } : {}),
    ...(headers[names.tracestate] ? { tracestate: headers[names.tracestate] } : {}),
  };
}

function textOfPrincipal(principal: Principal): string {
  let text = principalTexts.get(principal);
  if (text === undefined) {
    // Header values carry ASCII on every transport.
    text = JSON.stringify(principal).replace(/[^ -~]/g, escapeCharacter);
    principalTexts.set(principal, text);
  }
  return text;
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

// A gateway sends the same few principals over and over, so reading one is mostly remembering it.
function principalOf(text: string): Principal {
  const known = principalsByText.get(text);
  if (known) return known;
  const principal = deepFreeze(Principal.parse(JSON.parse(text)));
  if (principalsByText.size >= principalsKeptMax) principalsByText.clear();
  principalsByText.set(text, principal);
  return principal;
}

function deepFreeze<T extends object>(value: T): T {
  for (const part of Object.values(value)) if (typeof part === 'object' && part !== null) deepFreeze(part);
  return Object.freeze(value);
}
