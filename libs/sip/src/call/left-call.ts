import { z } from 'zod';
import type { SipCredentials } from '../message/digest';
import { formatMessage, parseMessage, SipHeaders, type SipRequest } from '../message/sip-message';
import { parseNameAddress } from '../message/sip-uri';
import type { ServerTransaction } from '../transaction/server-transaction';
import { Timers } from '../transaction/timers';
import { SipPeer } from '../transport/sip-transport';
import { askInDialog, type CallSurroundings, sendAck } from './call-core';
import { Dialog, DialogState } from './dialog';

/** What another endpoint needs to end a call whose process died. It holds names and numbers, and nothing that proves who we are. */
export const LeftCall = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('up'), dialog: DialogState, isOurs: z.boolean() }),
  /** We call: our INVITE as it went out last. */
  z.object({ kind: z.literal('calling'), invite: z.string(), peer: SipPeer }),
  /** We are called: the INVITE as it came. */
  z.object({ kind: z.literal('called'), invite: z.string(), from: SipPeer, replyTo: SipPeer, localTag: z.string() }),
]);
export type LeftCall = z.output<typeof LeftCall>;

/** What an answer, a CANCEL or a dialog is made of. Proofs of identity are left out. */
const kept = ['Via', 'Max-Forwards', 'Route', 'Record-Route', 'From', 'To', 'Call-ID', 'CSeq', 'Contact'];
/** More than the dead process can have sent after it was stored. */
const sequenceSlack = 1000;
/** A refusal not acknowledged by then means that the call had been answered before. */
const acknowledgedMs = 2000;

/** Our INVITE, which rings somewhere or may yet. */
export function leftCalling(invite: SipRequest, peer: SipPeer): LeftCall {
  return { kind: 'calling', invite: headOf(invite), peer };
}

/** An INVITE that waits for our answer. */
export function leftCalled({ request, from, replyTo }: ServerTransaction, localTag: string): LeftCall {
  return { kind: 'called', invite: headOf(request), from, replyTo, localTag };
}

/** Ends a call left by a dead process, so that its peer need not wait for timers. False: its description cannot be read. */
export function endLeft(surroundings: CallSurroundings, left: LeftCall, credentials?: SipCredentials): boolean {
  if (left.kind === 'up') {
    sayGoodbye(surroundings, Dialog.of(left.dialog), left.isOurs ? credentials : undefined);
    return true;
  }
  const invite = parseMessage(Buffer.from(left.invite));
  if (invite.kind !== 'request') return false;
  if (left.kind === 'calling') takeBack(surroundings, { invite, peer: left.peer, credentials });
  else turnAway(surroundings, { ...left, invite });
  return true;
}

function sayGoodbye(surroundings: CallSurroundings, dialog: Dialog, credentials?: SipCredentials): void {
  const { localSequence, heardAt, ...state } = dialog.state;
  const away = Dialog.of({ ...state, localSequence: localSequence + sequenceSlack, heardAt: reconnected(heardAt, state.target) });
  if (!surroundings.reaches(away.peer.address)) return;
  surroundings.contacted(away.peer);
  askInDialog(surroundings, away, { method: 'BYE', headers: [['User-Agent', surroundings.userAgent]], credentials });
}

/** The connection that a peer had opened died with the process: it is found where its Contact says, at the address it came from. */
function reconnected(heardAt: SipPeer, contact: string): SipPeer {
  if (heardAt.protocol === 'udp') return heardAt;
  return { ...heardAt, port: parseNameAddress(`<${contact}>`)?.uri.port ?? 5060 };
}

/** Sends CANCEL; a phone that answers all the same gets a BYE. */
function takeBack(
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
 * Sends 500 to a waiting caller. The dead process may have answered at its last moment: then this is not acknowledged, and the
 * call is ended as an established one.
 */
function turnAway(
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
