import type { Provider, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Principal, ServiceName } from '@parley/contracts';
import { BusServer, type Transport, TransportBus } from '@parley/messaging';
import { loadConfiguration } from '@parley/service-kit';
import { GatewayConfig } from '../../config';
import { createGatewayApp } from '../create-gateway-app';
import { ScriptedServices } from '../scripted-services';
import { RecordedLog } from '../recorded-log';
import { testSecret } from '../running-gateway';
import { ConversationScript, ScriptedConversation } from '../scripted-conversation';
import { ScriptedSpeech, SpeechScript } from '../scripted-speech';
import { SeededKeys } from '../seeded-keys';

const agentKeyID = '5b0c7f0e-6d55-4a86-9f3c-1f8f6f0c2a11';
const principal: Principal = { kind: 'agt', keyId: 'k-soak', orgId: 7, agentId: 12 };
const unlimited = { limit: 1_000_000, windowSeconds: 60 };
const plans = { standard: { key: { 'ws-connect': unlimited }, organization: { 'ws-connect': unlimited } } };

/** A gateway without Postgres, and two replicas of a speech service that echoes its input. */
export interface SoakPlace {
  readonly url: string;
  readonly key: string;
  readonly speech: SpeechScript;
  close(): Promise<void>;
}

/** Starts everything that a soak needs on the broker behind `connect`. */
export async function openSoakPlace(connect: () => Promise<Transport>): Promise<SoakPlace> {
  const stops: (() => Promise<unknown>)[] = [];
  const speech = new SpeechScript();
  // Recording everything heard would distort the memory measured.
  speech.keepsHeard = false;
  const scripted = new ScriptedServices();
  scripted.agents.set(agentKeyID, { orgId: principal.orgId, agentId: principal.agentId ?? 0 });
  const play = async (service: ServiceName, controller: Type, providers: Provider[]) => {
    const transport = await connect();
    class Application {}
    const strategy = new BusServer(transport, { service });
    const module = { module: Application, controllers: [controller], providers };
    const app = await NestFactory.createMicroservice(module, { strategy, logger: false });
    await app.listen();
    stops.push(
      () => app.close(),
      () => transport.close(),
    );
  };
  const conversation = { provide: ConversationScript, useValue: new ConversationScript() };
  await play('conversation', ScriptedConversation, [conversation, { provide: ScriptedServices, useValue: scripted }]);
  for (const replica of ['one', 'two']) {
    const script = { provide: SpeechScript, useValue: speech };
    await play('speech', ScriptedSpeech, [script, { provide: 'REPLICA', useValue: replica }]);
  }
  const key = 'agt_soak';
  const limits = { SOCKETS_PER_KEY: '1000', SOCKETS_PER_ADDRESS: '1000', RATE_LIMIT_PLANS: JSON.stringify(plans) };
  const config = loadConfiguration(GatewayConfig, { PORT: '0', PARLEY_SECRET_KEY: testSecret, ...limits });
  const transport = await connect();
  const bus = new TransportBus(transport);
  const principals = new SeededKeys({ [key]: principal });
  const app = await createGatewayApp(config, { bus, logger: new RecordedLog(), principals });
  await app.listen(config.PORT, config.HOST);
  stops.push(
    () => transport.close(),
    async () => bus.close(),
    () => app.close(),
  );
  const close = async () => {
    for (const stop of stops.reverse()) await stop();
  };
  return { url: `${(await app.getUrl()).replace(/^http/, 'ws')}/ws/sts`, key, speech, close };
}
