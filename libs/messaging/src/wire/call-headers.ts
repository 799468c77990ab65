import { Principal } from '@parley/contracts';

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

/** Lays a call out as a line for itself, and two for its trace if it has one. Every character is ASCII. */
export function encodeCallHeaders({ leftMs, requestId, principal, traceparent, tracestate = '' }: CallHeaders): string {
  const call = `${Math.ceil(leftMs)} ${requestId}`;
  const line = principal ? `${call} ${textOfPrincipal(principal)}` : call;
  return traceparent ? `${line}\n${traceparent}\n${tracestate}` : line;
}

/** Reads the call of a message. Throws when a principal that is there cannot be read: nobody works for an unknown one. */
export function decodeCallHeaders(text: string): CallHeaders {
  const lineEnd = text.indexOf('\n');
  const line = lineEnd < 0 ? text : text.slice(0, lineEnd);
  const holderAt = line.indexOf(' {');
  const call = holderAt < 0 ? line : line.slice(0, holderAt);
  const leftMs = Number.parseInt(call, 10);
  return {
    requestId: call.slice(call.indexOf(' ') + 1) || 'unknown',
    leftMs: Number.isFinite(leftMs) ? leftMs : 0,
    ...(holderAt < 0 ? {} : { principal: principalOf(line.slice(holderAt + 1)) }),
    ...(lineEnd < 0 ? {} : traceOf(text.slice(lineEnd + 1))),
  };
}

function traceOf(lines: string): { traceparent?: string; tracestate?: string } {
  const [traceparent, tracestate] = lines.split('\n');
  return { ...(traceparent ? { traceparent } : {}), ...(tracestate ? { tracestate } : {}) };
}

function textOfPrincipal(principal: Principal): string {
  let text = principalTexts.get(principal);
  if (text === undefined) {
    // A character is a byte, so that nobody has to count.
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
