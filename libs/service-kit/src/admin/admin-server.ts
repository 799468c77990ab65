import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { within } from '@parley/ports';
import type { Metrics } from '../metrics/metrics';

interface AdminResponse {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

const httpLimits = { maxHeaderSize: 8_192, headersTimeout: 5_000, requestTimeout: 5_000 };
/**
 * Scrapers and load balancers poll every half minute or minute on a kept-alive connection. By default Node closes it after five
 * seconds, and a probe sent at that moment fails.
 */
const keepAliveMs = 75_000;
const connectionsMax = 64;

/** The admin server of a process: `/health/live`, `/health/ready`, `/health/startup` and `/metrics`, for all services in it. */
export class AdminServer {
  private readonly services = new Map<string, ServiceHealth>();
  private readonly server: Server;
  private readonly connections = new Set<Socket>();

  constructor(private readonly metrics: Metrics) {
    this.server = createServer({ ...httpLimits, keepAliveTimeout: keepAliveMs }, (request, response) => {
      void this.answer(request).then((answer) => send(response, answer));
    });
    this.server.on('connection', (socket) => this.admit(socket));
  }

  /** Includes a service in every probe from now on. */
  show(health: ServiceHealth): void {
    this.services.set(health.name, health);
  }

  /** Removes a service that stopped by itself while others continue. */
  hide(health: ServiceHealth): void {
    if (this.services.get(health.name) === health) this.services.delete(health.name);
  }

  /** Resolves with the port once the server listens. */
  async listen(host: string, port: number): Promise<number> {
    this.server.listen(port, host);
    await once(this.server, 'listening');
    const address = this.server.address();
    return typeof address === 'object' && address ? address.port : port;
  }

  async close(): Promise<void> {
    if (!this.server.listening) return;
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }

  /**
   * If there are too many connections, the oldest is closed: a client holding them all must not make a probe fail, which would
   * restart us.
   */
  private admit(socket: Socket): void {
    this.connections.add(socket.once('close', () => this.connections.delete(socket)));
    const [oldest] = this.connections;
    if (this.connections.size > connectionsMax) oldest?.destroy();
  }

  private async answer({ method, url = '', headers }: IncomingMessage): Promise<AdminResponse> {
    if (method !== 'GET' && method !== 'HEAD') return json(405, { status: 'method not allowed' });
    const [path] = url.split('?');
    if (path === '/health/live') return json(200, { status: 'live' });
    if (path === '/health/ready') return this.readiness();
    if (path === '/health/startup') return this.startup();
    if (path === '/metrics') return this.exposition(headers.accept);
    return json(404, { status: 'not found' });
  }

  private async exposition(accept: string | undefined): Promise<AdminResponse> {
    try {
      return { status: 200, ...(await this.metrics.scraped(accept)) };
    } catch {
      return json(500, { status: 'metrics could not be read' });
    }
  }

  private async readiness(): Promise<AdminResponse> {
    const entries = [...this.services].map(async ([name, health]) => [name, await health.readiness()] as const);
    const states = await Promise.all(entries);
    const isReady = states.length > 0 && states.every(([, state]) => state.isReady);
    const services = Object.fromEntries(states.map(([name, state]) => [name, state.checks]));
    return json(isReady ? 200 : 503, { status: isReady ? 'ready' : 'not ready', services });
  }

  private startup(): AdminResponse {
    const states = [...this.services].map(([name, health]) => [name, health.isStarted] as const);
    const isStarted = states.length > 0 && states.every(([, started]) => started);
    return json(isStarted ? 200 : 503, { status: isStarted ? 'started' : 'starting', services: Object.fromEntries(states) });
  }
}

function json(status: number, body: object): AdminResponse {
  return { status, type: 'application/json', body: JSON.stringify(body) };
}

function send(response: ServerResponse, { status, type, body }: AdminResponse): void {
  response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store', 'content-length': Buffer.byteLength(body) });
  response.end(body);
}

/** Whether a dependency of a service can currently be reached. */
export type HealthCheck = () => boolean | Promise<boolean>;

interface Readiness {
  readonly isReady: boolean;
  readonly checks: Readonly<Record<string, boolean>>;
}

const answerAgeMaxMs = 1_000;
const checkTimeoutMs = 2_000;

/** A service's health. Checks run at most once a second however often it is probed, and a check that hangs counts as failed. */
export class ServiceHealth {
  isStarted = false;
  isDraining = false;
  private reachable: { atMs: number; checks: Promise<Record<string, boolean>> } | undefined;

  constructor(
    readonly name: string,
    private readonly checks: Readonly<Record<string, HealthCheck>>,
  ) {}

  async readiness(): Promise<Readiness> {
    const checks = { started: this.isStarted, accepting: !this.isDraining, ...(await this.recentChecks()) };
    return { checks, isReady: Object.values(checks).every(Boolean) };
  }

  private recentChecks(): Promise<Record<string, boolean>> {
    const now = performance.now();
    if (!this.reachable || now - this.reachable.atMs > answerAgeMaxMs) this.reachable = { atMs: now, checks: this.runChecks() };
    return this.reachable.checks;
  }

  private async runChecks(): Promise<Record<string, boolean>> {
    const outcomes = Object.entries(this.checks).map(async ([name, check]) => [name, await succeedsInTime(check)] as const);
    return Object.fromEntries(await Promise.all(outcomes));
  }
}

async function succeedsInTime(check: HealthCheck): Promise<boolean> {
  const work = async () => check();
  return within(checkTimeoutMs, work(), () => false).catch(() => false);
}
