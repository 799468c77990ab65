import type { AddressInfo } from 'node:net';
import type { DynamicModule, INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { CustomStrategy } from '@nestjs/microservices';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { FrameworkLog } from '../logging/framework-log';
import type { Logger } from '../logging/logger';
import { meterHttp } from '../metrics/meter-http';
import type { RequestMeter } from '../metrics/metrics';
import { isTracing } from '../telemetry/telemetry';
import { traceHttp } from '../telemetry/trace-http';
import { closeDoor, sayFarewell } from './farewell';
import type { HttpDoor } from './service-definition';

/** A Nest application that listens, with or without a public door. */
export interface OpenApplication {
  readonly context: INestApplicationContext;
  readonly httpPort: number | undefined;
  /** In-flight requests and messages finish first, then the application's modules close. */
  close(): Promise<void>;
}

interface Opening {
  readonly module: DynamicModule;
  readonly messages: CustomStrategy;
  readonly log: Logger;
}

/** Answers messages only. */
export async function openMicroservice({ module, messages, log }: Opening): Promise<OpenApplication> {
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
  opening: Opening & { meter: RequestMeter; isStopping: () => boolean },
  door: HttpDoor<Configuration>,
  config: Configuration,
): Promise<OpenApplication> {
  // While it closes, a connection that is kept alive may bring one more request: it is answered, not refused.
  const adapter = new FastifyAdapter({ ...door.server?.(config), return503OnClosing: false, forceCloseConnections: 'idle' });
  const options = { logger: new FrameworkLog(opening.log), abortOnError: false };
  const application = await NestFactory.create<NestFastifyApplication>(opening.module, adapter, options);
  const server = adapter.getInstance();
  meterHttp(server, opening.meter);
  if (isTracing()) traceHttp(server);
  sayFarewell(server, opening.isStopping);
  await orClose(application, async () => {
    await door.configure(application, config);
    application.connectMicroservice(opening.messages, { inheritAppConfig: false });
    await application.startAllMicroservices();
    await application.listen(door.port(config), door.host(config));
  });
  const close = async (): Promise<void> => {
    // Nest would stop the modules first and then wait for requests that still need them.
    await closeDoor(server);
    await application.close();
  };
  return { context: application, httpPort: portOf(server.addresses()[0]), close };
}

/** A half-open application, its port taken for instance, is closed before anyone hears of it. */
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
