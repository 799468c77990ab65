import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { type CallMedia, type CarrierRequest, type MediaEvent, type MediaProtocol, mediaTokenOf, within } from '@parley/ports';
import { mediaOverWebSocket } from '@parley/providers/carrier-media';
import { Lifetime, Logger } from '@parley/service-kit';
import { realClock } from '@parley/voice-session';
import { WebSocketServer } from 'ws';
import { type OpenCarrier, OpenCarriers } from '../accounts/open-carriers';
import { endings, isOver } from '../calls/call-steps';
import type { CallEntity } from '../calls/call.entity';
import { type MediaTicket, MediaTokens } from '../calls/media-tokens';
import { CallParts } from '../line/call-parts';
import { PhoneCall } from '../line/phone-call';
import { CallObservers } from '../transfer/call-observers';
import { FarLegs } from '../transfer/far-legs';

type OpenMedia = (hear: (event: MediaEvent) => void) => CallMedia;

/** Whose media was admitted. */
interface Admitted {
  readonly open: OpenCarrier;
  /** False if it came too late. */
  take(answer: OpenMedia): boolean;
  /** The connection failed after it was admitted. */
  leave(): void;
}

/** Finds the owner of incoming media: a call, or a transfer target's leg, whose call is held by this or another replica. */
@Injectable()
export class ArrivingMedia implements OnModuleDestroy {
  private readonly calls = new Set<PhoneCall>();
  private leaving: Promise<void> | undefined;

  constructor(
    private readonly parts: CallParts,
    private readonly carriers: OpenCarriers,
    private readonly observers: CallObservers,
    private readonly farLegs: FarLegs,
    private readonly lifetime: Lifetime,
  ) {
    // Calls end as soon as draining begins, since the HTTP server, which closes first, waits for its connections, including calls' media.
    lifetime.draining.addEventListener('abort', () => void this.leave(), { once: true });
  }

  /** Undefined if the call is over, or no transfer waits for this person. */
  async admit(ticket: MediaTicket): Promise<Admitted | undefined> {
    const leave = (): void => undefined;
    const { leg } = ticket;
    const attached = this.observers.find(ticket.callId);
    if (leg === undefined) {
      const call = await this.callOf(ticket);
      return call && { open: call.open, leave, take: (answer) => (call.attach(answer), true) };
    }
    if (attached) return { open: attached.call.open, leave, take: (answer) => attached.transfer.attach(leg, answer) };
    const [open, far] = await Promise.all([this.carrierOf(ticket), this.farLegs.find(ticket)]);
    if (!open || !far) return void far?.leave();
    return { open, leave: () => far.leave(), take: (answer) => (far.attach(answer), true) };
  }

  /** Finds a ticket by the reference that was given when placing: a call's, or a transfer target's. */
  async ticketOf({ account }: OpenCarrier, reference: string): Promise<MediaTicket | undefined> {
    const { orgId, id } = account;
    const call = await this.parts.callRecords.find(orgId, { keyId: reference });
    if (call) return call.accountId === id ? { orgId, callId: call.id } : undefined;
    const leg = await this.observers.legs.find(orgId, id, { reference });
    return leg && { orgId, callId: leg.callId, leg: reference };
  }

  /** A call that was being transferred has its line here again. */
  async cameBack({ account }: OpenCarrier, carrierCallId: string, why: 'unanswered' | 'refused'): Promise<void> {
    const call = await this.parts.callRecords.ofCarrier(account.orgId, account.id, carrierCallId);
    if (call && !isOver(call.state)) this.observers.find(call.id)?.transfer.cameBack(why);
  }

  onModuleDestroy(): Promise<void> {
    return this.leave();
  }

  private leave(): Promise<void> {
    return (this.leaving ??= this.endCalls());
  }

  /** Lets calls continue for a while when the process stops; those remaining are then ended, charged and recorded. */
  private async endCalls(): Promise<void> {
    const all = () => Promise.all([...this.calls].map(({ finished }) => finished));
    await within<unknown>(this.parts.settings.drainMs, all(), () => undefined);
    for (const call of this.calls) call.finish(endings.restarting);
    await all();
  }

  /** The call if it is held here or can begin now. */
  private async callOf({ orgId, callId }: MediaTicket): Promise<PhoneCall | undefined> {
    const held = this.parts.held.find(callId);
    if (held instanceof PhoneCall) return held.isFinished || !held.takesMedia ? undefined : held;
    const record = await this.parts.callRecords.find(orgId, { id: callId });
    // A call in progress already has its media, here or at another replica.
    if (!record || record.state === 'IN_PROGRESS' || isOver(record.state) || this.lifetime.draining.aborted) return undefined;
    const open = await this.carriers.of(orgId, record.accountId);
    // The carrier may have connected with another token meanwhile.
    const hasBegun = [...this.calls].some((call) => call.callId === callId && !call.isFinished);
    return hasBegun ? undefined : this.begin(record, open);
  }

  /** The carrier of a call that is not over, held by any replica. */
  async carrierOf({ orgId, callId }: MediaTicket): Promise<OpenCarrier | undefined> {
    const record = await this.parts.callRecords.find(orgId, { id: callId });
    return record && !isOver(record.state) ? this.carriers.of(orgId, record.accountId) : undefined;
  }

  /** Creates a call whose media will be here. */
  private begin(record: CallEntity, open: OpenCarrier): PhoneCall {
    const call = new PhoneCall(record, open, this.parts);
    this.observers.attachTo(call);
    this.calls.add(call);
    void call.finished.then(() => this.calls.delete(call));
    return call;
  }
}

const frameBytesMax = 256 * 1024;
const upgradesMax = 1_000;
const path = /^\/telephony\/([a-z][a-z0-9-]{1,31})\/[\w-]{1,128}\/?(?:\?.*)?$/;
const tokenForm = /^[\w-]{16,128}$/;

/** Accepts carriers' media by WebSocket. Only the token in the path or query is trusted, and it is valid once. */
@Injectable()
export class MediaDoor implements OnApplicationBootstrap {
  private readonly subprotocols = new WeakMap<IncomingMessage, readonly string[]>();
  private readonly wires = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: frameBytesMax,
    handleProtocols: (offered, request) => this.subprotocols.get(request)?.find((each) => offered.has(each)) ?? false,
  });
  private upgrading = 0;

  constructor(
    private readonly host: HttpAdapterHost,
    private readonly tokens: MediaTokens,
    private readonly arriving: ArrivingMedia,
    private readonly lifetime: Lifetime,
    private readonly log: Logger,
  ) {}

  onApplicationBootstrap(): void {
    const server: Server = this.host.httpAdapter.getHttpServer();
    server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => void this.upgrade(request, socket, head));
    this.wires.on('wsClientError', (_error, socket) => refuse(socket, 400));
  }

  private async upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    socket.on('error', () => undefined);
    if (this.lifetime.draining.aborted || this.upgrading >= upgradesMax) return refuse(socket, 503);
    this.upgrading += 1;
    try {
      const admitted = await this.admit(request);
      if (typeof admitted === 'number') return refuse(socket, admitted);
      const { media } = admitted;
      this.subprotocols.set(request, media.subprotocols);
      socket.once('close', () => admitted.leave());
      this.wires.handleUpgrade(request, socket, head, (wire) => {
        const isTaken = admitted.take((hear) => mediaOverWebSocket(wire, { protocol: media, clock: realClock, hear }));
        if (!isTaken) wire.terminate();
      });
    } catch (error) {
      this.log.error('The media of a call could not be taken', { error });
      refuse(socket, 503);
    } finally {
      this.upgrading -= 1;
    }
  }

  /**
   * The owner of the media, or the status of the refusal. Only an authenticated carrier uses up the token, so a stolen token cannot
   * keep a call from its media.
   */
  private async admit(request: IncomingMessage): Promise<(Admitted & { readonly media: MediaProtocol }) | number> {
    const [, carrier] = path.exec(request.url ?? '') ?? [];
    const token = mediaTokenOf({ path: (request.url ?? '').replace(/\/(?=$|\?)/, '') });
    const ticket = carrier !== undefined && tokenForm.test(token) ? await this.tokens.find(token) : undefined;
    if (!ticket) return this.refused(403, unknownToken, carrier);
    const open = await this.arriving.carrierOf(ticket);
    if (!open || open.account.carrier !== carrier) return this.refused(404, overOrForeign, carrier);
    const { media, webhooks } = open.carrier;
    const verdict = webhooks?.verifyUpgrade(asCarrierRequest(request), new Date());
    if (!media) return this.refused(404, 'it has no media', carrier);
    if (verdict?.isGenuine === false) return this.refused(403, verdict.reason, carrier);
    if (!(await this.tokens.redeem(token))) return this.refused(403, unknownToken, carrier);
    const admitted = await this.arriving.admit(ticket);
    return admitted ? { ...admitted, media } : this.refused(404, overOrForeign, carrier);
  }

  private refused(status: number, reason: string, carrier: string | undefined): number {
    this.log.warn('The media of a call was refused', { carrier, status, reason });
    return status;
  }
}

function asCarrierRequest(request: IncomingMessage): CarrierRequest {
  return { method: request.method ?? 'GET', path: request.url ?? '', headers: request.headers, body: new Uint8Array() };
}

const unknownToken = 'the token is unknown, too old or used';
const overOrForeign = 'the call is over, has its media already, or is of another carrier';

const words: Record<number, string> = { 400: 'Bad Request', 403: 'Forbidden', 404: 'Not Found', 503: 'Service Unavailable' };

/** Destroys the connection, since a client that keeps its half open would hold it indefinitely and delay stopping. */
function refuse(socket: Duplex, status: number): void {
  if (!socket.writable) return void socket.destroy();
  const answer = `HTTP/1.1 ${status} ${words[status] ?? 'Refused'}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`;
  socket.end(answer, () => socket.destroy());
}
