import { Injectable } from '@nestjs/common';
import type { ArrivedCall, CallNotice } from '@parley/ports';
import { Logger } from '@parley/service-kit';
import type { OpenCarrier } from '../accounts/open-carriers';
import { CallBook } from '../calls/call-book';
import { isOver } from '../calls/call-steps';
import { type MediaTicket, MediaTokens } from '../calls/media-tokens';
import { CallLegs } from '../transfer/call-legs';
import { Companions } from '../transfer/companions';
import { FarLegs } from '../transfer/far-legs';
import { Turns } from '../turns';
import { ArrivingMedia } from './arriving-media';
import { CallNotices } from './call-notices';
import { InboundCalls } from './inbound-calls';

/** Calls that come with their media ready, and what is told of them. */
@Injectable()
export class ArrivedCalls {
  /** What is told of one call is heeded in the order in which it was told. */
  private readonly turns = new Turns<string>();

  constructor(
    private readonly book: CallBook,
    private readonly legs: CallLegs,
    private readonly tokens: MediaTokens,
    private readonly inbound: InboundCalls,
    private readonly arriving: ArrivingMedia,
    private readonly companions: Companions,
    private readonly farLegs: FarLegs,
    private readonly notices: CallNotices,
    private readonly log: Logger,
  ) {}

  /** A call of an account: one that came, or that we placed and somebody answered. */
  take(open: OpenCarrier, arrived: ArrivedCall): void {
    const work = async (): Promise<void> => {
      if (arrived.direction === 'inbound') return this.comeIn(open, arrived);
      const ticket = arrived.reference === undefined ? undefined : await this.ticketOf(open, arrived.reference);
      if (!ticket || !(await this.join(ticket, arrived))) arrived.refuse('rejected');
    };
    this.turns.take(arrived.callId, work).catch((error: unknown) => this.failed(arrived, error));
  }

  /** A call whose token says which one it is, whatever account it is of. */
  takeByToken(arrived: ArrivedCall): void {
    const work = async (): Promise<void> => {
      const ticket = arrived.token === undefined ? undefined : await this.tokens.redeem(arrived.token);
      if (ticket && (await this.join(ticket, arrived))) return;
      this.log.warn('The media of a call was refused: its token is unknown, too old or used');
      arrived.refuse('rejected');
    };
    work().catch((error: unknown) => this.failed(arrived, error));
  }

  noticed(open: OpenCarrier, notice: CallNotice): void {
    this.turns
      .take(notice.callId, () => this.heed(open, notice))
      .catch((error: unknown) =>
        this.log.warn('What was told of a call could not be written down', { kind: notice.kind, error }),
      );
  }

  private async comeIn(open: OpenCarrier, arrived: ArrivedCall): Promise<void> {
    const { callId, from = '', to = '' } = arrived;
    const taken = await this.inbound.take(open, { callId, from, to });
    if (typeof taken === 'string') return arrived.refuse(taken);
    if (!(await this.join({ orgId: taken.orgId, callId: taken.id }, arrived))) arrived.refuse('busy');
  }

  private async join(ticket: MediaTicket, arrived: ArrivedCall): Promise<boolean> {
    const answer: ArrivedCall['answer'] = (hear) => arrived.answer(hear);
    if (ticket.leg !== undefined) return this.joinLeg(ticket, ticket.leg, answer);
    const call = await this.arriving.callOf(ticket);
    call?.attach(answer);
    return call !== undefined;
  }

  private async joinLeg(ticket: MediaTicket, leg: string, answer: ArrivedCall['answer']): Promise<boolean> {
    const company = this.companions.find(ticket.callId);
    if (company) return company.transfer.attach(leg, answer);
    const far = await this.farLegs.find(ticket);
    far?.attach(answer);
    return far !== undefined;
  }

  /** By the reference that a call was placed with: one of ours, or of a person whom a call is to be given to. */
  private async ticketOf({ account }: OpenCarrier, reference: string): Promise<MediaTicket | undefined> {
    const { orgId, id } = account;
    const call = await this.book.find(orgId, { keyId: reference });
    if (call) return call.accountId === id ? { orgId, callId: call.id } : undefined;
    const leg = await this.legs.find(orgId, id, { callId: '', reference });
    return leg && { orgId, callId: leg.callId, leg: reference };
  }

  /** The call is still here when a transfer of it failed: there is no media to be asked for again. */
  private async heed(open: OpenCarrier, notice: CallNotice): Promise<void> {
    if (notice.kind !== 'continuing' || notice.transfer !== 'unanswered') return void (await this.notices.heed(open, notice));
    const call = await this.book.ofCarrier(open.account.orgId, open.account.id, notice.callId);
    if (call && !isOver(call.state)) this.companions.find(call.id)?.transfer.cameBack();
  }

  private failed(arrived: ArrivedCall, error: unknown): void {
    this.log.error('A call that came could not be taken', { error });
    arrived.refuse('rejected');
  }
}
