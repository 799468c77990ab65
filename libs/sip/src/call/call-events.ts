import type { SipResponse } from '../message/sip-message';
import type { HeardSound } from '../rtp/jitter-buffer';

/** Why a call is over. */
export type CallEndKind =
  | 'hung-up-by-peer'
  | 'hung-up-by-us'
  /** Taken back before anybody answered: by the caller, or by us. */
  | 'cancelled'
  | 'busy'
  | 'no-answer'
  | 'refused'
  /** No answer from the network at all. */
  | 'unreachable'
  /** It was up, and the peer is gone: no ACK, no refresh. */
  | 'lost'
  | 'transferred';

export interface CallEnd {
  readonly kind: CallEndKind;
  /** The status of SIP that said so, where one did. */
  readonly status?: number;
  readonly words: string;
  /** What the refusal said beside its status: the texts of Warning and Reason, as `STIR: no valid identity`. */
  readonly remarks?: readonly string[];
}

/** How a transfer came out. */
export type TransferOutcome = { readonly kind: 'answered' } | { readonly kind: 'failed'; readonly status: number };

/** What a call tells of itself, `ended` once and last. None of these may throw. */
export interface CallListener {
  /** An outbound call rings. */
  ringing?(): void;
  /** Both sides agreed, and sound may flow. */
  answered?(): void;
  sound?(heard: HeardSound): void;
  digit?(key: string): void;
  marks?(names: readonly string[], wasCleared: boolean): void;
  held?(isHeld: boolean): void;
  starved?(): void;
  transferred?(outcome: TransferOutcome): void;
  ended?(end: CallEnd): void;
}

/** What a refusal of our INVITE means. */
export function endOf({ status, reason, headers }: Pick<SipResponse, 'status' | 'reason' | 'headers'>): CallEnd {
  const words = reason || `the call was refused with ${status}`;
  const remarks = [...headers.lines('Warning').flatMap(quotedIn), ...headers.lines('Reason').flatMap(reasonsIn)];
  return {
    kind: kinds[status] ?? 'refused',
    status,
    words,
    ...(remarks.length > 0 && { remarks: remarks.slice(0, remarksMax) }),
  };
}

const remarksMax = 10;
const remarkCharactersMax = 200;
const quoted = /"((?:[^"\\]|\\.)*)"/g;

function quotedIn(line: string): string[] {
  return [...line.matchAll(quoted)].map(([, text = '']) => text.replaceAll(/\\(.)/g, '$1').slice(0, remarkCharactersMax));
}

/** RFC 3326: each with the protocol whose cause it is, since a cause of STIR is about who calls, whatever its text. */
function reasonsIn(line: string): string[] {
  const [protocol = ''] = /^[\w.-]+/.exec(line.trim()) ?? [];
  return protocol === '' ? [] : [`${protocol}: ${quotedIn(line).join(' ')}`];
}

const kinds: Readonly<Record<number, CallEndKind>> = {
  408: 'no-answer',
  480: 'no-answer',
  486: 'busy',
  487: 'cancelled',
  600: 'busy',
};
