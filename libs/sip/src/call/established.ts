import type { SipCredentials } from '../message/digest';
import type { SipRequest, SipResponse } from '../message/sip-message';
import type { SoundSession } from '../rtp/sound-session';
import type { ServerTransaction } from '../transaction/server-transaction';
import { lostAfterMs, T2, Timers } from '../transaction/timers';
import {
  askInDialog,
  type CallEnd,
  type CallListener,
  type CallSurroundings,
  type DialogOwner,
  ownHeaders,
  sdpType,
  sendAck,
  type TransferOutcome,
  withSound,
} from './call-core';
import {
  agreedByAnswer,
  agreedByAsked,
  type Dialog,
  refreshHeaders,
  sessionExpiresIn,
  sessionHeaders,
  type SessionInterval,
  sessionSeconds,
  SessionTimer,
} from './dialog';
import type { Negotiation } from './negotiation';
import { Transfer } from './transfer';

interface EstablishedOptions {
  readonly owner: DialogOwner;
  readonly dialog: Dialog;
  readonly negotiation: Negotiation;
  readonly sound: SoundSession;
  readonly credentials: SipCredentials | undefined;
  readonly listener: () => CallListener;
  /** Called once, when the call has ended. */
  readonly over: (end: CallEnd) => void;
}

/** An established call: handles the requests of both sides within its dialog. */
export class Established {
  private readonly timers = new Timers();
  private readonly session: SessionTimer;
  private readonly transfer: Transfer;
  private stopRepeating = (): void => {};
  private unacknowledged: ServerTransaction | undefined;
  private offerIsOurs = false;
  private asking = false;
  private isOver = false;
  private wasHeld = false;
  private hangsUpLater = false;
  private peerUpdates = false;

  constructor(
    private readonly surroundings: CallSurroundings,
    private readonly options: EstablishedOptions,
  ) {
    this.session = new SessionTimer({
      refresh: () => this.refresh(),
      expired: () => this.hangUp({ kind: 'lost', words: 'the peer did not refresh the call' }),
    });
    this.transfer = new Transfer(
      (asked) => this.ask({ ...asked, headers: [...this.headers(), ...asked.headers] }),
      (outcome) => this.transferred(outcome),
    );
  }

  /** We sent a 2xx, which is repeated until the ACK arrives. `offered`: it contained our offer. */
  answered(invite: ServerTransaction, offered: boolean, interval?: SessionInterval): void {
    this.unacknowledged = invite;
    this.offerIsOurs = offered;
    let isFirst = true;
    const stop = this.timers.repeat(T2, () => {
      if (!isFirst) invite.repeatLast();
      isFirst = false;
    });
    const giveUp = this.timers.after(lostAfterMs, () => {
      this.acknowledge();
      if (this.hangsUpLater) this.sayGoodbye();
      else this.hangUp({ kind: 'lost', words: 'the peer did not acknowledge the answer' });
    });
    this.stopRepeating = () => {
      stop();
      giveUp();
    };
    this.know(invite.request);
    this.session.agree(interval ?? agreedByAsked(invite.request.headers));
  }

  /** The peer sent a 2xx to our INVITE. */
  connected(response: SipResponse): void {
    this.know(response);
    this.session.agree(agreedByAnswer(response.headers));
    this.tellHold();
  }

  /** The peer sent the ACK of our 2xx. */
  acknowledged(ack: SipRequest): void {
    if (!this.unacknowledged) return;
    this.acknowledge();
    if (this.hangsUpLater) return this.sayGoodbye();
    if (this.offerIsOurs && !this.options.negotiation.answered(ack.body)) {
      this.hangUp({ kind: 'refused', words: 'the peer answered our offer with no sound that we share' });
      return;
    }
    if (this.offerIsOurs) this.options.listener().agreed?.();
    this.tellHold();
  }

  /** The peer sent a request within the call. */
  request(transaction: ServerTransaction): void {
    const { request } = transaction;
    if (!this.options.dialog.accepts(request)) return transaction.respond(500, { headers: [['Retry-After', '1']] });
    if (request.method === 'BYE') return this.peerHungUp(transaction);
    if (this.isOver && (request.method !== 'NOTIFY' || !this.transfer.isPending)) return transaction.respond(481);
    if (request.method === 'INVITE' || request.method === 'UPDATE') this.offered(transaction);
    else if (request.method === 'INFO') this.info(transaction);
    else if (request.method === 'NOTIFY') this.notified(transaction);
    else if (request.method === 'OPTIONS') transaction.respond(200, { headers: this.headers() });
    else transaction.respond(405, { headers: this.headers() });
  }

  /** Puts the peer on hold, or resumes. False if the peer refused, or another negotiation is in progress. */
  async hold(isHeld: boolean): Promise<boolean> {
    const { negotiation } = this.options;
    negotiation.want(isHeld ? 'sendonly' : 'sendrecv');
    const isAgreed = await this.reinvite();
    if (!isAgreed) negotiation.want(isHeld ? 'sendrecv' : 'sendonly');
    return isAgreed;
  }

  /** Asks the peer to call another address instead; the listener is told the outcome. */
  refer(target: string, patienceMs: number): boolean {
    return !this.isOver && this.transfer.begin(target, patienceMs);
  }

  /** Ends the call at once; BYE is sent in the background. */
  hangUp(end: CallEnd = { kind: 'hung-up-by-us', words: 'we hung up' }): void {
    if (this.isOver) return;
    // BYE may not be sent before our 2xx is acknowledged.
    if (this.unacknowledged) this.hangsUpLater = true;
    else this.sayGoodbye();
    this.transfer.stop();
    this.finish(end);
  }

  /** Ends the call without a message, because the process ends. */
  drop(): void {
    this.transfer.stop();
    this.finish({ kind: 'lost', words: 'the endpoint was closed' });
    this.timers.clear();
  }

  get dialog(): Dialog['state'] {
    return this.options.dialog.state;
  }

  private get isBusyAgreeing(): boolean {
    return this.asking || this.unacknowledged !== undefined;
  }

  private headers(): [string, string][] {
    return ownHeaders(this.surroundings, this.options.dialog.peer);
  }

  private ask(asked: Omit<Parameters<typeof askInDialog>[2], 'credentials'>): void {
    askInDialog(this.surroundings, this.options.dialog, { ...asked, credentials: this.options.credentials });
  }

  private know(message: SipRequest | SipResponse): void {
    this.options.dialog.refreshTarget(message);
    if (message.headers.get('Allow') !== undefined) this.peerUpdates = message.headers.lists('Allow', 'UPDATE');
  }

  private acknowledge(): void {
    this.unacknowledged = undefined;
    this.stopRepeating();
  }

  private offered(transaction: ServerTransaction): void {
    const { request } = transaction;
    const requested = sessionExpiresIn(request.headers);
    if (this.asking) return transaction.respond(491);
    if (this.unacknowledged) return transaction.respond(500, { headers: [['Retry-After', '2']] });
    if (requested && requested.seconds < sessionSeconds.min)
      return transaction.respond(422, { headers: [['Min-SE', `${sessionSeconds.min}`]] });
    const isUpdate = request.method === 'UPDATE';
    const hasOffer = request.body.length > 0;
    const body = hasOffer
      ? this.options.negotiation.answer(request.body)
      : isUpdate
        ? Buffer.alloc(0)
        : this.options.negotiation.offer();
    if (!body) return transaction.respond(488, { headers: this.headers() });
    const interval = agreedByAsked(request.headers);
    const headers = [...this.headers(), ...sessionHeaders(interval)];
    transaction.respond(200, body.length > 0 ? withSound(body, headers) : { headers });
    if (isUpdate) {
      this.know(request);
      this.session.agree(interval);
    } else this.answered(transaction, !hasOffer, interval);
    this.tellHold();
  }

  private info(transaction: ServerTransaction): void {
    const key = digitIn(transaction.request);
    transaction.respond(key === undefined && transaction.request.body.length > 0 ? 415 : 200);
    if (key !== undefined) this.options.listener().digit?.(key);
  }

  private notified(transaction: ServerTransaction): void {
    transaction.respond(this.transfer.notified(transaction.request) ? 200 : 481);
  }

  private peerHungUp(transaction: ServerTransaction): void {
    transaction.respond(200);
    this.acknowledge();
    // The peer may still report whether a pending transfer was answered (RFC 5057 4.2); hanging up does not imply it.
    this.finish({ kind: 'hung-up-by-peer', words: 'the peer hung up' });
    if (!this.transfer.isPending) this.surroundings.forget(this.options.owner);
  }

  private transferred(outcome: TransferOutcome): void {
    if (!this.isOver || outcome.kind === 'answered') this.options.listener().transferred?.(outcome);
    if (this.isOver) return this.surroundings.forget(this.options.owner);
    if (outcome.kind === 'answered') this.hangUp({ kind: 'transferred', words: 'the transfer was answered' });
  }

  private refresh(): void {
    if (this.isBusyAgreeing) return this.session.restart();
    if (!this.peerUpdates) return void this.reinvite();
    this.ask({
      method: 'UPDATE',
      headers: [...this.headers(), ...refreshHeaders],
      answered: (response) => this.refreshed(response),
      lost: () => this.hangUp({ kind: 'lost', words: 'nobody answered the refresh of the call' }),
    });
  }

  private refreshed(response: SipResponse): void {
    if (response.status < 300) this.session.agree(agreedByAnswer(response.headers));
    else if (response.status === 481 || response.status === 408)
      this.hangUp({ kind: 'lost', status: response.status, words: 'the peer knows no such call' });
    else this.session.restart();
  }

  private reinvite(): Promise<boolean> {
    if (this.isOver || this.isBusyAgreeing) return Promise.resolve(false);
    this.asking = true;
    let isFirst = true;
    return new Promise((resolve) => {
      this.ask({
        method: 'INVITE',
        headers: [...this.headers(), sdpType, ...refreshHeaders],
        body: this.options.negotiation.offer(),
        answered: (response, request) => {
          if (response.status < 300) sendAck(this.surroundings, this.options.dialog, request);
          if (isFirst) resolve(this.reinvited(response));
          isFirst = false;
        },
        lost: () => {
          this.asking = false;
          this.hangUp({ kind: 'lost', words: 'nobody answered within the call' });
          resolve(false);
        },
      });
    });
  }

  private reinvited(response: SipResponse): boolean {
    this.asking = false;
    if (response.status >= 300) {
      this.refreshed(response);
      return false;
    }
    this.connected(response);
    return this.options.negotiation.answered(response.body);
  }

  private tellHold(): void {
    const { isHeld } = this.options.negotiation;
    if (isHeld === this.wasHeld || this.isOver) return;
    this.wasHeld = isHeld;
    this.options.listener().held?.(isHeld);
  }

  private sayGoodbye(): void {
    const forget = (): void => this.surroundings.forget(this.options.owner);
    this.ask({ method: 'BYE', headers: [['User-Agent', this.surroundings.userAgent]], answered: forget, lost: forget });
  }

  private finish(end: CallEnd): void {
    if (this.isOver) return;
    this.isOver = true;
    this.session.stop();
    this.options.sound.close();
    this.options.over(end);
  }
}

/** The key in an INFO, in either of the two formats that gateways use; undefined for other INFOs. */
function digitIn({ headers, body }: SipRequest): string | undefined {
  const type = headers.get('Content-Type')?.split(';')[0]?.trim().toLowerCase();
  const text = body.toString('latin1', 0, 256);
  if (type === 'application/dtmf-relay') return keyOf(/^Signal[ \t]*=[ \t]*([0-9*#A-D]{1,2})[ \t]*\r?$/im.exec(text)?.[1]);
  return type === 'application/dtmf' ? keyOf(/^[ \t]*([0-9*#A-D]{1,2})\s*$/i.exec(text)?.[1]) : undefined;
}

/** Some gateways send the number of the event: 10 for star, 11 for hash. */
function keyOf(text: string | undefined): string | undefined {
  if (text === '10') return '*';
  if (text === '11') return '#';
  return text?.length === 1 ? text.toUpperCase() : undefined;
}
