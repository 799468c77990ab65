import { NestFactory } from '@nestjs/core';
import { BusServer, NatsTransport } from '@parley/messaging';
import { Neighbours } from './scripted-neighbours';

const framesPerUnit = 25;

/** Makes the scripted speech service count what it hears: a unit for every half a second of sound, told as it is used. */
export function countsSound(neighbours: Neighbours): void {
  const { hear } = neighbours;
  neighbours.hear = (line, item) => {
    if ('frame' in item && line.sounds.length % framesPerUnit === 0)
      line.channel.signal({ type: 'usage', usage: [{ kind: 'STT_API', units: 1 }] });
    hear(line, item);
  };
}

/** A replica of the speech service in a process that a test may kill. Says `ready` once it answers. */
export async function runSpeech(natsUrl: string): Promise<void> {
  const neighbours = new Neighbours();
  countsSound(neighbours);
  const [, controller] = neighbours.controllers().find(([service]) => service === 'speech') ?? [];
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
