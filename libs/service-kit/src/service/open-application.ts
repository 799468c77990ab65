import type { AddressInfo, Socket } from 'node:net';
import type { DynamicModule, INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { CustomStrategy } from '@nestjs/microservices';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyServerOptions } from 'fastify';
import { FrameworkLog, type Logger } from '../logging/logger';
import { meterHttp, type RequestMeter } from '../metrics/metrics';
import { isTracing, traceHttp } from '../telemetry/telemetry';

/** The public door of a service. Only the gateway has one. */
export interface HttpDoor<Configuration> {
  port(config: Configuration): number;
  host(config: Configuration): string;
  /** Limits and timeouts of the server, on top of the kit's. */
  server?(config: Configuration): FastifyServerOptions;
  /** Before the application initializes: content types, CORS, hooks, prefixes. */
  configure(app: NestFastifyApplication, config: Configuration): Promise<void> | void;
}

/** A Nest application that listens, with or without a public door. */
export interface OpenApplication {
  readonly context: INestApplicationContext;
  readonly httpPort: number | undefined;
  /** In-flight requests and messages finish first, then the application's modules close. */
  close(): Promise<void>;
}

interface MicroserviceOptions {
  readonly module: DynamicModule;
  readonly messages: CustomStrategy;
  readonly log: Logger;
}

/** Answers messages only. */
export async function openMicroservice({ module, messages, log }: MicroserviceOptions): Promise<OpenApplication> {
  const application = await NestFactory.createMicroservice(module, {
    ...messages,
    logger: new FrameworkLog(log),
    abortOnError: false,
  });
  await orClose(application, () => application.listen());
  return { context: application, httpPort: undefined, close: () => application.close() };
}

/** Answers messages and HTTP. */
export async function openHttpApplication<Configuration>(
  opening: MicroserviceOptions & { meter: RequestMeter; isStopping: () => boolean },
  door: HttpDoor<Configuration>,
  config: Configuration,
): Promise<OpenApplication> {
  // While it closes, a connection that is kept alive may bring one more request: it is answered, not refused.
  const adapter = new FastifyAdapter({ ...door.server?.(config), return503OnClosing: false, forceCloseConnections: 'idle' });
  const options = { logger: new FrameworkLog(opening.log), abortOnError: false };
  const application = await NestFactory.create<NestFastifyApplication>(opening.module, adapter, options);
  const server = adapter.getInstance();
  const connections = connectionsOf(server);
  if (isTracing()) traceHttp(server);
  meterHttp(server, opening.meter);
  sayFarewell(server, opening.isStopping);
  await orClose(application, async () => {
    await door.configure(application, config);
    application.connectMicroservice(opening.messages, { inheritAppConfig: false });
    await application.startAllMicroservices();
    await application.listen(door.port(config), door.host(config));
  });
  const close = async (): Promise<void> => {
    // Nest would stop the modules first and then wait for requests that still need them.
    await closeDoor(server, connections);
    await application.close();
  };
  return { context: application, httpPort: portOf(server.addresses()[0]), close };
}

/** Closes an application that failed to open, for example because its port was taken. */
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
 * Closes kept connections gracefully. From the announcement on every answer asks its client to reconnect elsewhere next time; a
 * connection cut while a request is on its way would be a failed request.
 */
function sayFarewell(server: FastifyInstance, isStopping: () => boolean): void {
  server.addHook('onSend', (_request, reply, payload, done) => {
    if (isStopping()) reply.header('connection', 'close');
    done(null, payload);
  });
}

/** Long enough for the request of a client that connected just before the server stopped listening. */
const silentMsMax = 1_000;

/** Closes the door: requests in flight finish, and connections go as they fall idle or were never used, which Node does not call idle. */
async function closeDoor(server: FastifyInstance, connections: ReadonlySet<Socket>): Promise<void> {
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

/** Every connection that is open. */
function connectionsOf(server: FastifyInstance): ReadonlySet<Socket> {
  const open = new Set<Socket>();
  server.server.on('connection', (connection: Socket) => {
    open.add(connection);
    connection.once('close', () => open.delete(connection));
  });
  return open;
}
