import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { carriers } from '@parley/providers/carrier-catalogue';
import { defineService } from '@parley/service-kit';
import { TelephonyBridgeVariables } from './config';
import { telephonySchema } from './database/schema';
import { TelephonyBridgeModule } from './telephony-bridge.module';

const webhookBytesMax = 64 * 1024;
const requestMs = 10_000;
const headerBytesMax = 16 * 1024;

/** Carriers' media streams, calls, campaigns' dialling and live counts. */
export const telephonyBridge = defineService({
  name: 'telephony-bridge',
  config: TelephonyBridgeVariables,
  database: telephonySchema,
  module: (config) => TelephonyBridgeModule.with(config, carriers),
  http: {
    port: (config) => config.TELEPHONY_PORT,
    host: (config) => config.TELEPHONY_HOST,
    server: () => ({ bodyLimit: webhookBytesMax, requestTimeout: requestMs, http: { maxHeaderSize: headerBytesMax } }),
    configure: keepBodies,
  },
});

/** Signatures are made of bytes, so no body is read as anything else. */
function keepBodies(app: NestFastifyApplication): void {
  const asIs = (_request: unknown, body: Buffer, done: (error: Error | null, body: Buffer) => void): void => done(null, body);
  for (const type of ['application/json', 'application/x-www-form-urlencoded', '*']) app.useBodyParser(type, {}, asIs);
}
