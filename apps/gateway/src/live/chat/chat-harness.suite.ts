import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { InProcessBroker, TransportBus } from '@parley/messaging';
import { loadConfiguration } from '@parley/service-kit';
import { GatewayConfig } from '../../config';
import { createGatewayApp } from '../../testing/create-gateway-app';
import { RecordedLog } from '../../testing/recorded-log';
import { agentPrincipal, keys, ownerPrincipal, testSecret } from '../../testing/running-gateway';
import { SeededKeys } from '../../testing/seeded-keys';
import { playScene, resetScene, scene } from './chat-scene.suite';
import { RecordedCharging } from './recorded-charging.suite';

interface Sending {
  readonly key?: string;
  readonly signal?: AbortSignal;
  readonly query?: string;
}

/** A gateway with its chat, in front of the simulated services. */
export class ChatHarness {
  readonly charging = new RecordedCharging();
  url = '';
  private readonly stops: (() => Promise<unknown>)[] = [];

  async open(): Promise<void> {
    const broker = new InProcessBroker();
    scene.folder = await mkdtemp(path.join(tmpdir(), 'parley-chat-'));
    this.stops.push(...(await playScene(broker)));
    const config = loadConfiguration(GatewayConfig, { PORT: '0', PARLEY_SECRET_KEY: testSecret, FILES_DIR: scene.folder });
    const principals = new SeededKeys({ [keys.owner]: ownerPrincipal, [keys.agent]: agentPrincipal });
    const bus = new TransportBus(broker.connect());
    const app = await createGatewayApp(config, { bus, logger: new RecordedLog(), principals, charging: this.charging });
    await app.listen(config.PORT, config.HOST);
    this.url = `${await app.getUrl()}/api/v1/external/chat`;
    this.stops.unshift(() => app.close());
  }

  /** Restores the initial state before each test. */
  reset(): void {
    resetScene();
    this.charging.empty();
  }

  async close(): Promise<void> {
    for (const stop of this.stops) await stop();
    await rm(scene.folder, { recursive: true });
  }

  send(body: object | FormData, { key = keys.agent, signal, query = '' }: Sending = {}): Promise<Response> {
    return fetch(this.url + query, {
      method: 'POST',
      headers: { 'x-api-key': key, ...(body instanceof FormData ? {} : { 'content-type': 'application/json' }) },
      body: body instanceof FormData ? body : JSON.stringify(body),
      ...(signal && { signal }),
    });
  }
}
