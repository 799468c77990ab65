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
import { Fault, faultCatalogue, type Principal, socketCloseCodes } from '@parley/contracts';
import { Lifetime, Logger } from '@parley/service-kit';
import { type WebSocket, WebSocketServer } from 'ws';
import { type SocketEndpoint, socketEndpointAt } from '../../api/hand-written';
import { AsyncApiController, SocketDocument } from '../../api/openapi/socket-document';
import type { GatewayConfig } from '../../config';
import { faultOf } from '../../door/faults';
import { answerBadUpgrade, requestIdOf } from '../../door/http/fastify-options';
import { OpenConnections } from '../../door/keys/open-connections';
import { socketAddressOf } from '../../door/tokens/entry-tokens';
import { ClientSocket } from './client-socket';
import { type Closing, closingFor, errorFrame, socketLimits } from './exchange';
import { Exchanges } from './exchanges';
import { QuestionLimits, SessionHolders, SessionNewsController, SessionOpener } from './session-opener';
import { type Admitted, SocketAdmission } from './socket-admission';
import { SocketSession } from './socket-session';

/** What an operator has set about sockets. */
class SocketSettings implements SlotLimits {
  readonly inAll: number;
  readonly perKey: number;
  readonly perOrganization: number;
  readonly startMs: number;
  readonly idleMs: number;
  readonly pingMs: number;
  /** Whether a proxy is believed about where its client is. */
  readonly trusts: (address: string, hop: number) => boolean;

  constructor(config: GatewayConfig) {
    this.inAll = config.SOCKETS_MAX;
    this.perKey = config.SOCKETS_PER_KEY;
    this.perOrganization = config.SOCKETS_PER_ORGANIZATION;
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
  private readonly slots: ConnectionSlots;
  private heart: NodeJS.Timeout | undefined;

  constructor(
    private readonly host: HttpAdapterHost,
    private readonly admission: SocketAdmission,
    private readonly exchanges: Exchanges,
    private readonly questions: QuestionLimits,
    private readonly holders: SessionHolders,
    @Inject(OpenConnections) private readonly openSockets: OpenConnections,
    private readonly settings: SocketSettings,
    private readonly lifetime: Lifetime,
    private readonly log: Logger,
  ) {
    this.slots = new ConnectionSlots(settings);
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
    const leaveSlot = this.slots.take(admitted.counted);
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
      leaveSlot();
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

/** How many sockets one gateway holds open at a time. */
interface SlotLimits {
  readonly perKey: number;
  readonly perOrganization: number;
}

/** Counts open sockets by whom they belong to. */
class ConnectionSlots {
  private readonly taken = new Map<string, number>();

  constructor(private readonly limits: SlotLimits) {}

  /** Takes a slot until the answered function is called; a Fault where there is none left. */
  take({ keyId, orgId }: Principal): () => void {
    const places = [
      { name: `key ${keyId}`, limit: this.limits.perKey, of: 'key' },
      { name: `organization ${orgId}`, limit: this.limits.perOrganization, of: 'workspace' },
    ];
    for (const { name, limit, of } of places) {
      if ((this.taken.get(name) ?? 0) < limit) continue;
      throw new Fault('RATE_LIMITED', { message: `A ${of} may hold ${limit} sockets open here at a time.` });
    }
    for (const { name } of places) this.count(name, 1);
    return () => {
      for (const { name } of places.splice(0)) this.count(name, -1);
    };
  }

  private count(name: string, step: 1 | -1): void {
    const count = (this.taken.get(name) ?? 0) + step;
    if (count === 0) this.taken.delete(name);
    else this.taken.set(name, count);
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
