import { z } from 'zod';
import type { SipCredentials } from '../message/digest';
import { formatMessage, parseMessage, SipHeaders, type SipRequest } from '../message/sip-message';
import { parseNameAddress } from '../message/sip-uri';
import type { ServerTransaction } from '../transaction/server-transaction';
import { Timers } from '../transaction/timers';
import { SipPeer } from '../transport/sip-transport';
import { askInDialog, type CallSurroundings, sendAck } from './call-core';
import { Dialog, DialogState } from './dialog';

/** What another endpoint needs to end a call whose process died. It contains names and numbers, but no credentials. */
export const LeftCall = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('up'), dialog: DialogState, isOurs: z.boolean() }),
  /** An outgoing call: our INVITE as last sent. */
  z.object({ kind: z.literal('calling'), invite: z.string(), peer: SipPeer }),
  /** An incoming call: the INVITE as received. */
  z.object({ kind: z.literal('called'), invite: z.string(), from: SipPeer, replyTo: SipPeer, localTag: z.string() }),
]);
export type LeftCall = z.output<typeof LeftCall>;

/** The headers needed for a response, a CANCEL or a dialog. Credentials are omitted. */
const kept = ['Via', 'Max-Forwards', 'Route', 'Record-Route', 'From', 'To', 'Call-ID', 'CSeq', 'Contact'];
/** More requests than the dead process can have sent since the dialog was stored. */
const sequenceSlack = 1000;
/** If a refusal is not acknowledged by then, the call had already been answered. */
const acknowledgedMs = 2000;

/** An INVITE of ours that is, or may be, ringing. */
export function leftCalling(invite: SipRequest, peer: SipPeer): LeftCall {
  return { kind: 'calling', invite: headOf(invite), peer };
}

/** An INVITE that we have not answered. */
export function leftCalled({ request, from, replyTo }: ServerTransaction, localTag: string): LeftCall {
  return { kind: 'called', invite: headOf(request), from, replyTo, localTag };
}

/** Ends a call left by a dead process, so that its peer need not wait for a timeout. False if its description cannot be read. */
export function endLeft(surroundings: CallSurroundings, left: LeftCall, credentials?: SipCredentials): boolean {
  if (left.kind === 'up') {
    sayGoodbye(surroundings, Dialog.of(left.dialog), left.isOurs ? credentials : undefined);
    return true;
  }
  const invite = parseMessage(Buffer.from(left.invite));
  if (invite.kind !== 'request') return false;
  if (left.kind === 'calling') cancelOutgoing(surroundings, { invite, peer: left.peer, credentials });
  else refuseWaiting(surroundings, { ...left, invite });
  return true;
}

function sayGoodbye(surroundings: CallSurroundings, dialog: Dialog, credentials?: SipCredentials): void {
  const { localSequence, heardAt, ...state } = dialog.state;
  const away = Dialog.of({ ...state, localSequence: localSequence + sequenceSlack, heardAt: reconnected(heardAt, state.target) });
  if (!surroundings.reaches(away.peer.address)) return;
  surroundings.contacted(away.peer);
  askInDialog(surroundings, away, { method: 'BYE', headers: [['User-Agent', surroundings.userAgent]], credentials });
}

/** A peer's connection died with the process, so the peer is reached at its address, at the port in its Contact. */
function reconnected(heardAt: SipPeer, contact: string): SipPeer {
  if (heardAt.protocol === 'udp') return heardAt;
  return { ...heardAt, port: parseNameAddress(`<${contact}>`)?.uri.port ?? 5060 };
}

/** Sends CANCEL; if a phone answers nevertheless, sends BYE. */
function cancelOutgoing(
  surroundings: CallSurroundings,
  { invite, peer, credentials }: { invite: SipRequest; peer: SipPeer; credentials: SipCredentials | undefined },
): void {
  if (!surroundings.reaches(peer.address)) return;
  surroundings.contacted(peer);
  const ended = new Set<string>();
  const { transactions } = surroundings;
  const transaction = transactions.resume(invite, peer, {
    response: (response) => {
      if (response.status < 200 || response.status >= 300) return;
      const dialog = Dialog.ofCaller(invite, response, peer);
      if (!dialog) return;
      sendAck(surroundings, dialog, invite);
      if (ended.has(dialog.remoteTag)) return;
      ended.add(dialog.remoteTag);
      sayGoodbye(surroundings, dialog, credentials);
    },
    lost: () => undefined,
  });
  if (transaction) transactions.cancel(transaction);
}

/**
 * Refuses a waiting caller with 500. If the dead process answered at the last moment, this is not acknowledged, and the call is ended
 * as an established one.
 */
function refuseWaiting(
  surroundings: CallSurroundings,
  { invite, from, replyTo, localTag }: { invite: SipRequest; from: SipPeer; replyTo: SipPeer; localTag: string },
): void {
  const contact = parseNameAddress(invite.headers.list('Contact')[0] ?? '')?.uri;
  const reached = replyTo.protocol === 'udp' ? replyTo : { ...replyTo, port: contact?.port ?? 5060 };
  if (!surroundings.reaches(reached.address)) return;
  surroundings.contacted(reached);
  const transaction = surroundings.transactions.adopt(invite, { from, replyTo: reached });
  transaction?.respond(500, { toTag: localTag });
  const dialog = Dialog.ofCalled(invite, localTag, from);
  if (!transaction || !dialog) return;
  new Timers().after(acknowledgedMs, () => (transaction.isConfirmed ? undefined : sayGoodbye(surroundings, dialog)));
}

function headOf(request: SipRequest): string {
  const headers = SipHeaders.of(kept.flatMap((name) => request.headers.lines(name).map((line) => [name, line] as const)));
  return formatMessage({ ...request, headers, body: Buffer.alloc(0) }).toString();
}
