import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import proxyAddress from '@fastify/proxy-addr';
import { Controller, Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Fault, faultCatalogue, sessionTaken, socketCloseCodes } from '@parley/contracts';
import { Broadcasts, Hears } from '@parley/messaging';
import { type Metric, Lifetime, Logger, ServiceMetrics } from '@parley/service-kit';
import type { GatewayConfig } from '../../config';
import { faultOf } from '../../door/faults';
import { keepForwardedAddresses } from '../../door/http/fastify-options';
import { OpenConnections } from '../../door/limits/open-connections';
import { ConcurrencyLimits } from '../../door/limits/rate-limits';
import { requestIdOf } from '../../endpoint/gateway-call';
import { type ClientSide, type Closing, closingFor, errorFrame, type Relay } from './relay';
import { type Admitted, SocketAdmission } from './socket-admission';
import type { Connection } from './socket-adapter';
import { SocketSession } from './socket-session';

/** The operator's settings for sockets. */
export class SocketSettings {
  readonly inAll: number;
  readonly startMs: number;
  readonly idleMs: number;
  readonly pingMs: number;
  /** Whether a proxy is trusted to state its client's address. */
  readonly trusts: (address: string, hop: number) => boolean;

  constructor(config: GatewayConfig) {
    this.inAll = config.SOCKETS_MAX;
    this.startMs = config.SOCKET_START;
    this.idleMs = config.SOCKET_IDLE;
    this.pingMs = config.SOCKET_PING;
    this.trusts = proxyAddress.compile(config.TRUSTED_PROXIES);
  }
}

interface Holder {
  readonly connection: string;
  readonly client: Pick<ClientSide, 'tell' | 'close'>;
}

/**
 * Which connection of this gateway holds which session. Across all gateways the newest connection wins; an older one is told so
 * and closed.
 */
@Injectable()
export class SessionHolders {
  private readonly holders = new Map<string, Holder>();

  constructor(private readonly broadcasts: Broadcasts) {}

  /** Takes a session for a connection; the returned function releases it when the connection is gone. */
  take(orgId: number, sessionUUID: string, client: Holder['client']): () => void {
    const name = `${orgId} ${sessionUUID}`;
    const holder = { connection: randomUUID(), client };
    this.replace(name, holder.connection);
    this.holders.set(name, holder);
    this.broadcasts.announce(sessionTaken, { orgId, payload: { sessionUUID, connection: holder.connection } });
    return () => {
      if (this.holders.get(name) === holder) this.holders.delete(name);
    };
  }

  /** Closes the connection that holds a session, unless it is the given one. */
  replace(name: string, connection: string): void {
    const older = this.holders.get(name);
    if (!older || older.connection === connection) return;
    this.holders.delete(name);
    older.client.tell({ type: 'session.ended', reason: 'REPLACED' });
    older.client.close({ code: socketCloseCodes.replaced, reason: 'another connection has taken over this session' });
  }
}

type RelayFor = (admitted: Admitted, client: ClientSide) => Relay;

interface Arrival {
  readonly connection: Connection;
  readonly requestId: string;
  readonly relayFor: RelayFor;
}

const restarts: Closing = {
  code: socketCloseCodes.serverRestarts,
  reason: 'the server restarts; connect again with the same sessionUUID',
};
/** How long a stopping gateway waits for an answer to end. What is left until it is overdue is for the last usage. */
const quietMsMax = 15_000;
const open: Metric<never> = { name: 'parley_sockets_open', help: 'WebSockets that this gateway holds.', labels: [] };
const full = 'This gateway holds all the sockets it can.';

/** Admits sockets or closes them with the reason, pings them, and closes them when the process stops. */
@Injectable()
export class OpenSockets implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly connections = new Set<Connection>();
  private readonly underWay = new Set<Promise<void>>();
  private pinging: NodeJS.Timeout | undefined;

  constructor(
    private readonly admission: SocketAdmission,
    private readonly holders: SessionHolders,
    @Inject(OpenConnections) private readonly openSockets: OpenConnections,
    private readonly places: ConcurrencyLimits,
    private readonly settings: SocketSettings,
    private readonly lifetime: Lifetime,
    private readonly log: Logger,
    metrics: ServiceMetrics,
  ) {
    metrics.watch(open, () => this.connections.size);
  }

  onApplicationBootstrap(): void {
    this.lifetime.draining.addEventListener('abort', () => this.closeQuiet());
    this.lifetime.overdue.addEventListener('abort', () => this.closeAll());
    this.pinging = setInterval(() => this.connections.forEach(({ client }) => client.beat()), this.settings.pingMs).unref();
  }

  /** Resolves once every socket is closed and its usage paid. */
  async onModuleDestroy(): Promise<void> {
    clearInterval(this.pinging);
    if (!this.lifetime.draining.aborted) this.closeAll();
    await Promise.all(this.underWay);
  }

  /** A refused client gets a socket too: otherwise a browser would not learn the reason. */
  receive(connection: Connection, relayFor: RelayFor): void {
    const arriving = this.arrive(connection, relayFor).finally(() => this.underWay.delete(arriving));
    this.underWay.add(arriving);
  }

  private async arrive(connection: Connection, relayFor: RelayFor): Promise<void> {
    const { to, client, request } = connection;
    const arrival = { connection, relayFor, requestId: requestIdOf(request) };
    this.connections.add(connection);
    try {
      if (this.lifetime.draining.aborted) return client.close(restarts.code, restarts.reason);
      if (this.connections.size > this.settings.inAll) throw new Fault('RATE_LIMITED', { message: full });
      const answer = await this.admission.admit({ to, request, requestId: arrival.requestId, address: this.addressOf(request) });
      if ('admitted' in answer) await this.serve(arrival, answer.admitted);
      else this.refuse(arrival, answer.refused, answer.closing);
    } catch (error) {
      this.refuse(arrival, faultOf(error));
    } finally {
      await client.closed;
      this.connections.delete(connection);
    }
  }

  private async serve({ connection, requestId, relayFor }: Arrival, admitted: Admitted): Promise<void> {
    const { principal } = admitted;
    const { to, client } = connection;
    const leavePlace = this.places.take('socket', admitted.counted, admitted.address);
    const { startMs, idleMs } = this.settings;
    let release = (): void => undefined;
    const setting = {
      requestId,
      startMs,
      idleMs,
      onReady: (sessionUUID: string) => {
        if (to.relay !== 'transcription') release = this.holders.take(principal.orgId, sessionUUID, session);
      },
    };
    const session: SocketSession = new SocketSession(client, setting, admitted, relayFor);
    connection.session = session;
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

  private refuse({ connection: { to, client }, requestId }: Arrival, fault: Fault, { code, reason } = closingFor(fault)): void {
    const { path } = to.endpoint;
    this.log[faultCatalogue[fault.code].log]('A socket was refused', { requestId, path, code: fault.code, error: fault.cause });
    client.tell(errorFrame(fault, requestId));
    client.close(code, reason);
  }

  /** Ends each session between two turns, so that nobody is cut off in the middle of a word. */
  private closeQuiet(): void {
    for (const { client, session } of this.connections) {
      if (session) session.closeWhenQuiet(restarts);
      else client.close(restarts.code, restarts.reason);
    }
    setTimeout(() => this.closeAll(), quietMsMax).unref();
  }

  private closeAll(): void {
    for (const { client } of this.connections) client.close(restarts.code, restarts.reason);
  }

  private addressOf(request: IncomingMessage): string {
    keepForwardedAddresses(request);
    return proxyAddress(request, this.settings.trusts);
  }
}

/** Handles sessions that began at other gateways. */
@Controller()
export class SessionEventsController {
  constructor(private readonly holders: SessionHolders) {}

  @Hears(sessionTaken)
  hear({ sessionUUID, connection }: { sessionUUID: string; connection: string }, { orgId }: { orgId: number | null }): void {
    this.holders.replace(`${orgId} ${sessionUUID}`, connection);
  }
}
