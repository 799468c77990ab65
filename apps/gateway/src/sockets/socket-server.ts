import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import proxyAddress from '@fastify/proxy-addr';
import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { Fault, faultCatalogue, socketCloseCodes } from '@parley/contracts';
import { Lifetime, Logger } from '@parley/service-kit';
import { type WebSocket, WebSocketServer } from 'ws';
import { answerBadUpgrade } from '../faults/client-error';
import { faultOf } from '../faults/fault-of';
import { requestIdOf } from '../http/request-id';
import { OpenSockets } from '../keys/open-sockets';
import { ClientSocket } from './client-socket';
import { closingFor, type Closing, errorFrame } from './closing';
import { type Door, doorAt } from './doors';
import { Entrance, type Newcomer } from './entrance';
import { Seats } from './seats';
import { socketLimits } from './socket-limits';
import { SocketSession } from './socket-session';
import { SocketSettings } from './socket-settings';
import { Talks } from './talks';

interface Arrival {
  readonly door: Door;
  readonly client: ClientSocket;
  readonly requestId: string;
}

const restarts: Closing = {
  code: socketCloseCodes.serverRestarts,
  reason: 'the server restarts; connect again with the same sessionUUID',
};
const full = 'This gateway holds all the sockets it can.';

/** Where WebSockets come in: lets them in or closes them with the reason, watches over them, and ends them with the process. */
@Injectable()
export class SocketServer implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly wires = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: socketLimits.frameBytesMax,
  });
  private readonly clients = new Set<ClientSocket>();
  private readonly underWay = new Set<Promise<void>>();
  private readonly seats: Seats;
  private heart: NodeJS.Timeout | undefined;

  constructor(
    private readonly host: HttpAdapterHost,
    private readonly entrance: Entrance,
    private readonly talks: Talks,
    @Inject(OpenSockets) private readonly openSockets: OpenSockets,
    private readonly settings: SocketSettings,
    private readonly lifetime: Lifetime,
    private readonly log: Logger,
  ) {
    this.seats = new Seats(settings);
  }

  onApplicationBootstrap(): void {
    const server: Server = this.host.httpAdapter.getHttpServer();
    server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => this.upgrade(request, socket, head));
    this.wires.on('wsClientError', (_error, socket) => answerBadUpgrade(socket));
    this.lifetime.draining.addEventListener('abort', () => this.closeAll());
    this.heart = setInterval(() => this.clients.forEach((client) => client.beat()), this.settings.pingMs).unref();
  }

  /** Resolves when every socket is closed and what it used is paid. */
  async onModuleDestroy(): Promise<void> {
    clearInterval(this.heart);
    this.closeAll();
    await Promise.all(this.underWay);
  }

  private upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const door = doorAt(request.url);
    // The HTTP server hands over nothing else; see `fastify-options`.
    if (!door) return void socket.destroy();
    this.wires.handleUpgrade(request, socket, head, (wire) => {
      const arriving = this.receive(wire, door, request).finally(() => this.underWay.delete(arriving));
      this.underWay.add(arriving);
    });
  }

  /** Also who is refused gets a socket first: a browser would not be told why otherwise. */
  private async receive(wire: WebSocket, door: Door, request: IncomingMessage): Promise<void> {
    const client = new ClientSocket(wire);
    const requestId = requestIdOf(request);
    const arrival = { door, client, requestId };
    this.clients.add(client);
    try {
      if (this.lifetime.draining.aborted) return client.close(restarts.code, restarts.reason);
      if (this.clients.size > this.settings.inAll) throw new Fault('RATE_LIMITED', { message: full });
      const admission = await this.entrance.admit({ door, request, requestId, address: this.addressOf(request) });
      if ('newcomer' in admission) await this.seat(arrival, admission.newcomer);
      else this.refuse(arrival, admission.refused, admission.closing);
    } catch (error) {
      this.refuse(arrival, faultOf(error));
    } finally {
      await client.closed;
      this.clients.delete(client);
    }
  }

  private async seat({ door, client, requestId }: Arrival, newcomer: Newcomer): Promise<void> {
    const { principal } = newcomer;
    const leaveSeat = this.seats.take(newcomer.counted);
    const { startMs, idleMs } = this.settings;
    const session = new SocketSession(client, { requestId, startMs, idleMs }, (stage) => this.talks.at(door, newcomer, stage));
    const forget = this.openSockets.add(newcomer, client);
    const sinceMs = performance.now();
    try {
      const { code } = await session.run();
      const seconds = Math.round((performance.now() - sinceMs) / 1_000);
      this.log.info('A socket was closed', { requestId, path: door.endpoint.path, orgId: principal.orgId, code, seconds });
    } finally {
      forget();
      leaveSeat();
    }
  }

  private refuse({ client, requestId, door }: Arrival, fault: Fault, { code, reason } = closingFor(fault)): void {
    const { path } = door.endpoint;
    this.log[faultCatalogue[fault.code].log]('A socket was refused', { requestId, path, code: fault.code, error: fault.cause });
    client.tell(errorFrame(fault, requestId));
    client.close(code, reason);
  }

  private closeAll(): void {
    for (const client of this.clients) client.close(restarts.code, restarts.reason);
  }

  private addressOf(request: IncomingMessage): string {
    return proxyAddress(request, this.settings.trusts);
  }
}
