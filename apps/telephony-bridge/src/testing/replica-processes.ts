import { NestFactory } from '@nestjs/core';
import { BusServer, NatsTransport } from '@parley/messaging';
import { loopback } from '@parley/providers/loopback';
import { sip } from '@parley/providers/sip';
import { createLogger, Metrics, startService } from '@parley/service-kit';
import type { TelephonyConfiguration } from '../config';
import { telephonyBridge, TelephonyBridgeModule } from '../service';
import { fakeCarrier } from './fake-carrier';
import { ScriptedServices } from './scripted-services';

/** Runs a replica of the bridge in this process, which a test may kill. Reports `ready` once it serves. */
export async function runBridge(
  natsUrl: string,
  databaseUrl: string,
  port: string,
  publicUrl: string,
  sipPorts?: string,
): Promise<void> {
  const carriers = [fakeCarrier, loopback, sip];
  const definition = {
    ...telephonyBridge,
    module: (config: TelephonyConfiguration) => TelephonyBridgeModule.with(config, carriers),
  };
  const transport = await NatsTransport.connect({ servers: natsUrl, name: 'bridge' });
  const environment = {
    PARLEY_SECRET_KEY: 'spec'.padEnd(32, '.'),
    TELEPHONY_PORT: port,
    TELEPHONY_PUBLIC_URL: publicUrl,
    CARRIERS_IN_PRIVATE_NETWORKS: 'true',
    ...(sipPorts !== undefined && { SIP_PORTS: sipPorts }),
  };
  const logger = createLogger({ level: 'silent', isReadable: false, writesPii: false });
  await startService(definition, { environment, transport, databaseUrl, logger, metrics: new Metrics() });
  process.stdout.write('ready\n');
}

const framesPerUnit = 25;

/** Makes the scripted speech service report a unit of usage for every half second of sound. */
export function countsSound(scripted: ScriptedServices): void {
  const { hear } = scripted;
  scripted.hear = (line, item) => {
    if ('frame' in item && line.sounds.length % framesPerUnit === 0)
      line.channel.signal({ type: 'usage', usage: [{ kind: 'STT_API', units: 1 }] });
    hear(line, item);
  };
}

/** Runs a replica of the speech service in this process, which a test may kill. Reports `ready` once it serves. */
export async function runSpeech(natsUrl: string): Promise<void> {
  const scripted = new ScriptedServices();
  countsSound(scripted);
  const [, controller] = scripted.controllers().find(([service]) => service === 'speech') ?? [];
  if (!controller) throw new Error('nobody plays the speech service');
  class Application {}
  const transport = await NatsTransport.connect({ servers: natsUrl, name: 'speech' });
  const app = await NestFactory.createMicroservice(
    { module: Application, controllers: [controller] },
    { strategy: new BusServer(transport, { service: 'speech' }), logger: false },
  );
  await app.listen();
  process.stdout.write('ready\n');
}
