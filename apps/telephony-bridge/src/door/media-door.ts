import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { type CarrierRequest, type MediaEvent, mediaTokenOf } from '@parley/ports';
import { mediaOverWebSocket } from '@parley/providers/carrier-media';
import { Lifetime, Logger } from '@parley/service-kit';
import { realClock } from '@parley/voice-session';
import { type WebSocket, WebSocketServer } from 'ws';
import { MediaTokens } from '../calls/media-tokens';
import type { PhoneCall } from '../line/phone-call';
import { Companions } from '../transfer/companions';
import { ArrivingMedia } from './arriving-media';

const frameBytesMax = 256 * 1024;
const upgradesMax = 1_000;
const path = /^\/telephony\/([a-z][a-z0-9-]{1,31})\/[\w-]{1,128}\/?(?:\?.*)?$/;
const tokenForm = /^[\w-]{16,128}$/;

interface Admitted {
  readonly call: PhoneCall;
  /** Of a person whom the call is to be given to. */
  readonly leg: string | undefined;
}

/** Where the media of carriers comes in by WebSocket. The token in the path or the query is all that is believed, and it is used up. */
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
    private readonly companions: Companions,
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
      const { media } = admitted.call.open.carrier;
      if (!media) return refuse(socket, 404);
      this.subprotocols.set(request, media.subprotocols);
      this.wires.handleUpgrade(request, socket, head, (wire) => this.connect(admitted, wire));
    } catch (error) {
      this.log.error('The media of a call could not be taken', { error });
      refuse(socket, 503);
    } finally {
      this.upgrading -= 1;
    }
  }

  /** The call that the media belongs to, or the status of the refusal. */
  private async admit(request: IncomingMessage): Promise<Admitted | number> {
    const [, carrier] = path.exec(request.url ?? '') ?? [];
    const token = mediaTokenOf({ path: (request.url ?? '').replace(/\/(?=$|\?)/, '') });
    const ticket = carrier !== undefined && tokenForm.test(token) ? await this.tokens.redeem(token) : undefined;
    if (!ticket) return this.refused(403, 'the token is unknown, too old or used', carrier);
    const call = ticket.leg === undefined ? await this.arriving.callOf(ticket) : this.companions.find(ticket.callId)?.call;
    if (!call || call.open.account.carrier !== carrier)
      return this.refused(404, 'the call is over, or of another carrier', carrier);
    const verdict = call.open.carrier.webhooks?.verifyUpgrade(asCarrierRequest(request), new Date());
    if (verdict && !verdict.isGenuine) return this.refused(403, verdict.reason, carrier);
    return { call, leg: ticket.leg };
  }

  private connect({ call, leg }: Admitted, wire: WebSocket): void {
    const { media: protocol } = call.open.carrier;
    if (!protocol) return wire.terminate();
    const answer = (hear: (event: MediaEvent) => void) => mediaOverWebSocket(wire, { protocol, clock: realClock, hear });
    if (leg === undefined) call.attach(answer);
    else if (!this.companions.find(call.callId)?.transfer.attach(leg, answer)) wire.terminate();
  }

  private refused(status: number, reason: string, carrier: string | undefined): number {
    this.log.warn('The media of a call was refused', { carrier, status, reason });
    return status;
  }
}

function asCarrierRequest(request: IncomingMessage): CarrierRequest {
  return { method: request.method ?? 'GET', path: request.url ?? '', headers: request.headers, body: new Uint8Array() };
}

const words: Record<number, string> = { 400: 'Bad Request', 403: 'Forbidden', 404: 'Not Found', 503: 'Service Unavailable' };

function refuse(socket: Duplex, status: number): void {
  if (!socket.writable) return void socket.destroy();
  socket.end(`HTTP/1.1 ${status} ${words[status] ?? 'Refused'}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}
