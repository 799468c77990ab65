import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import proxyAddress from '@fastify/proxy-addr';
import {
  type DynamicModule,
  Inject,
  Injectable,
  Module,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { Fault, faultCatalogue, socketCloseCodes } from '@parley/contracts';
import { type Figure, Lifetime, Logger, ServiceFigures } from '@parley/service-kit';
import { type WebSocket, WebSocketServer } from 'ws';
import { type SocketEndpoint, socketEndpointAt } from '../../api/hand-written';
import { AsyncApiController, SocketDocument } from '../../api/openapi/socket-document';
import type { GatewayConfig } from '../../config';
import { faultOf } from '../../door/faults';
import { answerBadUpgrade, complaintAboutHost, requestIdOf } from '../../door/http/fastify-options';
import { OpenConnections } from '../../door/keys/open-connections';
import { HeldPlaces } from '../../door/limits/held-places';
import { socketAddressOf } from '../../door/tokens/entry-tokens';
import { ClientSocket } from './client-socket';
import { type Closing, closingFor, errorFrame, socketLimits } from './exchange';
import { Exchanges } from './exchanges';
import { QuestionLimits, SessionHolders, SessionNewsController, SessionOpener } from './session-opener';
import { type Admitted, SocketAdmission } from './socket-admission';
import { SocketSession } from './socket-session';

/** What an operator has set about sockets. */
class SocketSettings {
  readonly inAll: number;
  readonly startMs: number;
  readonly idleMs: number;
  readonly pingMs: number;
  /** Whether a proxy is believed about where its client is. */
  readonly trusts: (address: string, hop: number) => boolean;

  constructor(config: GatewayConfig) {
    this.inAll = config.SOCKETS_MAX;
    this.startMs = config.SOCKET_START;
    this.idleMs = config.SOCKET_IDLE;
    this.pingMs = config.SOCKET_PING;
    this.trusts = proxyAddress.compile(config.TRUSTED_PROXIES);
  }
}

interface Arrival {
  readonly to: SocketEndpoint;
  readonly client: ClientSocket;
  readonly requestId: string;
}

const restarts: Closing = {
  code: socketCloseCodes.serverRestarts,
  reason: 'the server restarts; connect again with the same sessionUUID',
};
const open: Figure<never> = { name: 'parley_sockets_open', help: 'WebSockets that this gateway holds.', labels: [] };
const full = 'This gateway holds all the sockets it can.';

/** Where WebSockets come in: lets them in or closes them with the reason, watches over them, and ends them with the process. */
@Injectable()
class SocketServer implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly wires = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: socketLimits.frameBytesMax,
  });
  private readonly clients = new Set<ClientSocket>();
  private readonly underWay = new Set<Promise<void>>();
  private heart: NodeJS.Timeout | undefined;

  constructor(
    private readonly host: HttpAdapterHost,
    private readonly admission: SocketAdmission,
    private readonly exchanges: Exchanges,
    private readonly questions: QuestionLimits,
    private readonly holders: SessionHolders,
    @Inject(OpenConnections) private readonly openSockets: OpenConnections,
    private readonly places: HeldPlaces,
    private readonly settings: SocketSettings,
    private readonly lifetime: Lifetime,
    private readonly log: Logger,
    figures: ServiceFigures,
  ) {
    figures.watch(open, () => this.clients.size);
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
    const to = socketEndpointAt(request.url);
    // The HTTP server hands over nothing else; see `fastify-options`.
    if (!to) return void socket.destroy();
    const complaint = complaintAboutHost(request);
    if (complaint) return answerBadUpgrade(socket, complaint);
    this.wires.handleUpgrade(request, socket, head, (wire) => {
      const arriving = this.receive(wire, to, request).finally(() => this.underWay.delete(arriving));
      this.underWay.add(arriving);
    });
  }

  /** Also who is refused gets a socket first: a browser would not be told why otherwise. */
  private async receive(wire: WebSocket, to: SocketEndpoint, request: IncomingMessage): Promise<void> {
    const client = new ClientSocket(wire);
    const requestId = requestIdOf(request);
    const arrival = { to, client, requestId };
    this.clients.add(client);
    try {
      if (this.lifetime.draining.aborted) return client.close(restarts.code, restarts.reason);
      if (this.clients.size > this.settings.inAll) throw new Fault('RATE_LIMITED', { message: full });
      const answer = await this.admission.admit({ to, request, requestId, address: this.addressOf(request) });
      if ('admitted' in answer) await this.serve(arrival, answer.admitted);
      else this.refuse(arrival, answer.refused, answer.closing);
    } catch (error) {
      this.refuse(arrival, faultOf(error));
    } finally {
      await client.closed;
      this.clients.delete(client);
    }
  }

  private async serve({ to, client, requestId }: Arrival, admitted: Admitted): Promise<void> {
    const { principal } = admitted;
    const leavePlace = this.places.take('socket', admitted.counted, admitted.address);
    const { startMs, idleMs } = this.settings;
    let release = (): void => undefined;
    const setting = {
      requestId,
      startMs,
      idleMs,
      takeQuestion: () => this.questions.take(admitted),
      onReady: (sessionUUID: string) => {
        if (to.exchange !== 'transcription') release = this.holders.take(principal.orgId, sessionUUID, session);
      },
    };
    const session: SocketSession = new SocketSession(client, setting, (side) => this.exchanges.at(to, admitted, side));
    const forget = this.openSockets.add(admitted, client);
    const sinceMs = performance.now();
    try {
      const { code } = await session.run();
      const seconds = Math.round((performance.now() - sinceMs) / 1_000);
      this.log.info('A socket was closed', { requestId, path: to.endpoint.path, orgId: principal.orgId, code, seconds });
    } finally {
      forget();
      release();
      leavePlace();
    }
  }

  private refuse({ client, requestId, to }: Arrival, fault: Fault, { code, reason } = closingFor(fault)): void {
    const { path } = to.endpoint;
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

/** Live voice and chat over WebSockets, and the document that describes them. */
@Module({})
export class SocketsModule {
  /** `keys` says who may enter, `money` what it costs. */
  static with(config: GatewayConfig, doorkeepers: NonNullable<DynamicModule['imports']>): DynamicModule {
    const settings = { provide: SocketSettings, useValue: new SocketSettings(config) };
    const document = { provide: SocketDocument, useValue: new SocketDocument(socketAddressOf(config), socketLimits) };
    const providers = [
      SessionHolders,
      QuestionLimits,
      SocketAdmission,
      SessionOpener,
      SocketServer,
      settings,
      document,
      Exchanges,
    ];
    return { module: SocketsModule, imports: doorkeepers, controllers: [AsyncApiController, SessionNewsController], providers };
  }
}
