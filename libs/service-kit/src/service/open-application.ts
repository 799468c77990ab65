import type { AddressInfo, Socket } from 'node:net';
import type { DynamicModule, INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { CustomStrategy } from '@nestjs/microservices';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyServerOptions } from 'fastify';
import { FrameworkLog, type Logger } from '../logging/logger';
import { meterHttp, type RequestMeter } from '../metrics/metrics';
import { isTracing, traceHttp } from '../telemetry/telemetry';

/** The public HTTP server of a service. Only the gateway has one. */
export interface PublicServer<Configuration> {
  port(config: Configuration): number;
  host(config: Configuration): string;
  /** The variable that says the host. */
  readonly hostVariable: string;
  /** Limits and timeouts of the server, in addition to the kit's. */
  server?(config: Configuration): FastifyServerOptions;
  /** Runs before the application initializes: content types, CORS, hooks, prefixes. */
  configure(app: NestFastifyApplication, config: Configuration): Promise<void> | void;
}

/** A listening Nest application, with or without a public HTTP server. */
export interface OpenApplication {
  readonly context: INestApplicationContext;
  readonly httpPort: number | undefined;
  /** Requests and messages in progress finish first, then the application's modules close. */
  close(): Promise<void>;
}

interface MicroserviceOptions {
  readonly module: DynamicModule;
  readonly messages: CustomStrategy;
  readonly log: Logger;
}

/** An application that only answers messages. */
export async function openMicroservice({ module, messages, log }: MicroserviceOptions): Promise<OpenApplication> {
  const application = await NestFactory.createMicroservice(module, {
    ...messages,
    logger: new FrameworkLog(log),
    abortOnError: false,
  });
  await orClose(application, () => application.listen());
  return { context: application, httpPort: undefined, close: () => application.close() };
}

/** An application that answers messages and HTTP. */
export async function openHttpApplication<Configuration>(
  opening: MicroserviceOptions & { meter: RequestMeter; isStopping: () => boolean },
  publicServer: PublicServer<Configuration>,
  config: Configuration,
): Promise<OpenApplication> {
  // While it closes, a kept-alive connection may still send a request, which is answered instead of refused.
  const adapter = new FastifyAdapter({
    ...publicServer.server?.(config),
    return503OnClosing: false,
    forceCloseConnections: 'idle',
  });
  const options = { logger: new FrameworkLog(opening.log), abortOnError: false };
  const application = await NestFactory.create<NestFastifyApplication>(opening.module, adapter, options);
  const server = adapter.getInstance();
  const connections = connectionsOf(server);
  if (isTracing()) traceHttp(server);
  meterHttp(server, opening.meter);
  announceClosing(server, opening.isStopping);
  await orClose(application, async () => {
    await publicServer.configure(application, config);
    application.connectMicroservice(opening.messages, { inheritAppConfig: false });
    await application.startAllMicroservices();
    await application.listen(publicServer.port(config), publicServer.host(config));
  });
  const close = async (): Promise<void> => {
    // Nest would stop the modules first and only then wait for requests, which still need them.
    await closeServer(server, connections);
    await application.close();
  };
  return { context: application, httpPort: portOf(server.addresses()[0]), close };
}

/** Closes an application that failed to open, for example because its port was in use. */
async function orClose(application: INestApplicationContext, listen: () => Promise<unknown>): Promise<void> {
  try {
    await listen();
  } catch (error) {
    await application.close().catch(() => undefined);
    throw error;
  }
}

function portOf(address: AddressInfo | string | undefined): number | undefined {
  return typeof address === 'object' ? address.port : undefined;
}

const sweepEveryMs = 50;

/**
 * Closes kept-alive connections gracefully. From the announcement on, every answer asks its client to reconnect elsewhere next
 * time, because a connection that is cut while a request is being sent means a failed request.
 */
function announceClosing(server: FastifyInstance, isStopping: () => boolean): void {
  server.addHook('onSend', (_request, reply, payload, done) => {
    if (isStopping()) reply.header('connection', 'close');
    done(null, payload);
  });
}

/** Long enough for the request of a client that connected just before the server stopped listening. */
const silentMsMax = 1_000;

/**
 * Closes the server: requests in progress finish, and connections close when they become idle or if they were never used, which
 * Node does not count as idle.
 */
async function closeServer(server: FastifyInstance, connections: ReadonlySet<Socket>): Promise<void> {
  const sinceMs = performance.now();
  const sweep = setInterval(() => {
    server.server.closeIdleConnections();
    if (performance.now() - sinceMs < silentMsMax) return;
    for (const connection of connections) if (connection.bytesRead === 0) connection.destroy();
  }, sweepEveryMs);
  try {
    await server.close();
  } finally {
    clearInterval(sweep);
  }
}

/** Tracks the open connections. */
function connectionsOf(server: FastifyInstance): ReadonlySet<Socket> {
  const open = new Set<Socket>();
  server.server.on('connection', (connection: Socket) => {
    open.add(connection);
    connection.once('close', () => open.delete(connection));
  });
  return open;
}
