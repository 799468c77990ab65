import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import type { ArrivedCall, CallNotice, Listening } from '@parley/ports';
import { listenForAudioSockets } from '@parley/providers/asterisk-audiosocket';
import { Logger } from '@parley/service-kit';
import { realClock } from '@parley/voice-session';
import type { OpenCarrier } from '../accounts/open-carriers';
import { type MediaTicket, MediaTokens } from '../calls/media-tokens';
import { OneAtATime } from '../calls/call-records';
import { CallSettings, LoggedThisMinute } from '../line/call-parts';
import { ArrivingMedia } from './media-door';
import { CallNotices } from './call-notices';
import { InboundCalls } from './inbound-calls';

/** Handles calls that arrive together with their media, and their notices. */
@Injectable()
export class ArrivedCalls {
  /** The notices of one call are handled in order. */
  private readonly handling = new OneAtATime<string>();
  private readonly logged = new LoggedThisMinute();

  constructor(
    private readonly tokens: MediaTokens,
    private readonly inbound: InboundCalls,
    private readonly arriving: ArrivingMedia,
    private readonly notices: CallNotices,
    private readonly log: Logger,
  ) {}

  /** Takes a call of an account: an incoming one, or one we placed that was answered. */
  take(open: OpenCarrier, arrived: ArrivedCall): void {
    const work = async (): Promise<void> => {
      if (arrived.direction === 'inbound') return this.comeIn(open, arrived);
      const ticket = arrived.reference === undefined ? undefined : await this.arriving.ticketOf(open, arrived.reference);
      if (!ticket || !(await this.join(ticket, arrived))) arrived.refuse('rejected');
    };
    this.handling.take(arrived.callId, work).catch((error: unknown) => this.failed(arrived, error));
  }

  /** Takes a call identified by its token. */
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
    this.handling
      .take(notice.callId, () => this.handle(open, notice))
      .catch((error: unknown) => this.log.warn('A notice about a call could not be recorded', { kind: notice.kind, error }));
  }

  /**
   * Logs a refusal, at most once a minute per address, since anyone on the internet may try. The address is always named: a firewall
   * has to know it.
   */
  refused({ account }: OpenCarrier, { status, address, why }: { status: number; address: string; why: string }): void {
    const { keyId: accountKey, carrier } = account;
    if (!this.logged.isFirst(`${accountKey}/${address}/${status}`)) return;
    this.log.warn('A caller was refused', { accountKey, carrier, status, reason: why, address });
  }

  private async comeIn(open: OpenCarrier, arrived: ArrivedCall): Promise<void> {
    const { callId, from = '', to = '' } = arrived;
    const taken = await this.inbound.take(open, { callId, from, to });
    if (typeof taken === 'string') return arrived.refuse(taken);
    if (!(await this.join({ orgId: taken.orgId, callId: taken.id }, arrived))) arrived.refuse('busy');
  }

  private async join(ticket: MediaTicket, arrived: ArrivedCall): Promise<boolean> {
    const admitted = await this.arriving.admit(ticket);
    return admitted?.take((hear) => arrived.answer(hear)) ?? false;
  }

  /** A call whose transfer failed still has its media here, so none is requested. */
  private async handle(open: OpenCarrier, notice: CallNotice): Promise<void> {
    if (notice.kind === 'continuing' && (notice.transfer === 'unanswered' || notice.transfer === 'refused'))
      return this.arriving.cameBack(open, notice.callId, notice.transfer);
    await this.notices.handle(open, notice);
  }

  private failed(arrived: ArrivedCall, error: unknown): void {
    this.log.error('An incoming call could not be answered', { error });
    arrived.refuse('rejected');
  }
}

/** The address that accepts AudioSockets; without a port, none are accepted. */
export abstract class AudioSocketAddress {
  abstract readonly host: string;
  abstract readonly port: number | undefined;
}

/** Accepts Asterisk's AudioSockets. The UUID at the beginning of each is the token of its call, and is valid once. */
@Injectable()
export class AudioSocketDoor implements OnApplicationBootstrap, OnModuleDestroy {
  private listening: Listening | undefined;

  constructor(
    private readonly address: AudioSocketAddress,
    private readonly arrived: ArrivedCalls,
    private readonly settings: CallSettings,
  ) {}

  /** The port it listens on; undefined while it does not. */
  get port(): number | undefined {
    return this.listening?.port;
  }

  async onApplicationBootstrap(): Promise<void> {
    const { host, port } = this.address;
    if (port === undefined) return;
    const handler = { arrived: (call: ArrivedCall) => this.arrived.takeByToken(call), noticed: () => undefined };
    this.listening = await listenForAudioSockets({ host, port }, handler, realClock);
  }

  async onModuleDestroy(): Promise<void> {
    await this.listening?.close(new Date(Date.now() + this.settings.drainMs));
  }
}
