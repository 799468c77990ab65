import { Principal } from '@parley/contracts';
import type { PacketHeaders } from '../transport/transport';

/** What is left of the deadline, the request id and the principal in one line: brokers and clients pay for each header. */
const callName = 'Parley-Call';

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
export function encodeCallHeaders({ leftMs, requestId, principal, traceparent, tracestate }: CallHeaders): PacketHeaders {
  const holder = principal ? ` ${textOfPrincipal(principal)}` : '';
  const headers: Record<string, string> = { [callName]: `${Math.ceil(leftMs)} ${requestId}${holder}` };
  if (traceparent) headers['traceparent'] = traceparent;
  if (tracestate) headers['tracestate'] = tracestate;
  return headers;
}

/** Reads the call of a packet. Throws when a principal that is there cannot be read: nobody works for an unknown one. */
export function decodeCallHeaders({ [callName]: line = '', traceparent, tracestate }: PacketHeaders): CallHeaders {
  const holderAt = line.indexOf(' {');
  const call = holderAt < 0 ? line : line.slice(0, holderAt);
  const leftMs = Number.parseInt(call, 10);
  return {
    requestId: call.slice(call.indexOf(' ') + 1) || 'unknown',
    leftMs: Number.isFinite(leftMs) ? leftMs : 0,
    ...(holderAt < 0 ? {} : { principal: principalOf(line.slice(holderAt + 1)) }),
    ...(traceparent ? { traceparent } : {}),
    ...(tracestate ? { tracestate } : {}),
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
