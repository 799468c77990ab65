import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { type CarrierRequest, mediaTokenOf } from '@parley/ports';
import { mediaOverWebSocket } from '@parley/providers/carrier-media';
import { Lifetime, Logger } from '@parley/service-kit';
import { realClock } from '@parley/voice-session';
import { WebSocketServer } from 'ws';
import { MediaTokens } from '../calls/media-tokens';
import { type Admitted, ArrivingMedia } from './arriving-media';

const frameBytesMax = 256 * 1024;
const upgradesMax = 1_000;
const path = /^\/telephony\/([a-z][a-z0-9-]{1,31})\/[\w-]{1,128}\/?(?:\?.*)?$/;
const tokenForm = /^[\w-]{16,128}$/;

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
      const { media } = admitted.open.carrier;
      const verdict = media && admitted.open.carrier.webhooks?.verifyUpgrade(asCarrierRequest(request), new Date());
      if (!media || (verdict && !verdict.isGenuine)) {
        admitted.leave();
        const { carrier } = admitted.open.account;
        const status = media ? 403 : 404;
        return refuse(socket, this.refused(status, verdict?.isGenuine === false ? verdict.reason : 'it has no media', carrier));
      }
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

  /** The call that the media belongs to, or the status of the refusal. */
  private async admit(request: IncomingMessage): Promise<Admitted | number> {
    const [, carrier] = path.exec(request.url ?? '') ?? [];
    const token = mediaTokenOf({ path: (request.url ?? '').replace(/\/(?=$|\?)/, '') });
    const ticket = carrier !== undefined && tokenForm.test(token) ? await this.tokens.redeem(token) : undefined;
    if (!ticket) return this.refused(403, 'the token is unknown, too old or used', carrier);
    const admitted = await this.arriving.admit(ticket);
    if (admitted && admitted.open.account.carrier === carrier) return admitted;
    admitted?.leave();
    return this.refused(404, 'the call is over, or of another carrier', carrier);
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
