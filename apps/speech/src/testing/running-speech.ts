import { Controller, Module } from '@nestjs/common';
import { type BodyOf, readProviderSecret } from '@parley/contracts';
import {
  type Call,
  Handles,
  type HandlerOf,
  InProcessBroker,
  organizationOf,
  type Transport,
  TransportBus,
} from '@parley/messaging';
import { type FileStore, LoudnessVoiceActivity, type SpeechToText, type TextToSpeech, type VoiceActivity } from '@parley/ports';
import {
  createLogger,
  defineService,
  Metrics,
  type OrganizationKey,
  type RunningService,
  startService,
} from '@parley/service-kit';
import { z } from 'zod';
import { SpeechVariables } from '../config';
import { InstalledEngines, type OwnEngines } from '../engines/organization-engines';
import { SpeechModule } from '../service';
import { type LinePatience, ordinaryPatience } from '../transcribing/line-writing';

export interface SpeechHarness {
  readonly speaking: readonly TextToSpeech[];
  readonly hearing: readonly SpeechToText[];
  readonly files: FileStore;
  readonly own?: Partial<OwnEngines>;
  readonly environment?: Record<string, string>;
  readonly patience?: Partial<LinePatience>;
  readonly voices?: VoiceActivity;
  /** How the services connect; within this process by default. */
  readonly connect?: () => Promise<Transport>;
}

type Secret = BodyOf<typeof readProviderSecret>;

/** A fake of agent-config's keys, by `orgId/kind/provider`. */
export class KeysOfTheTest {
  readonly held = new Map<string, OrganizationKey>();
  readonly asked: string[] = [];
}

const unexpected: OwnEngines = {
  speaking: (name) => Promise.reject(new Error(`nobody expected a key for speaking by ${name}`)),
  hearing: (name) => Promise.reject(new Error(`nobody expected a key for hearing by ${name}`)),
};

/** Starts the speech service with the test's engines, on an in-process bus, beside a fake service for keys. */
export async function startSpeech({ speaking, hearing, files, own, environment = {}, patience, voices, connect }: SpeechHarness) {
  const broker = new InProcessBroker();
  const meet = connect ?? (async () => broker.connect());
  const logger = createLogger({ level: 'error', isReadable: false, writesPii: false });
  const metrics = new Metrics();
  const installed = new InstalledEngines(speaking, hearing, { ...unexpected, ...own });
  const speech = defineService({
    name: 'speech',
    config: SpeechVariables,
    module: (config) =>
      SpeechModule.with(config, {
        installed,
        files,
        voices: voices ?? new LoudnessVoiceActivity(),
        patience: { ...ordinaryPatience, ...patience },
      }),
  });
  const keys = new KeysOfTheTest();
  const neighbour = defineService({ name: 'agent-config', config: z.object({}), module: () => keeperOf(keys) });
  const started: { transport: Transport; service: RunningService }[] = [];
  for (const definition of [speech, neighbour]) {
    const transport = await meet();
    started.push({ transport, service: await startService(definition, { environment, transport, logger, metrics }) });
  }
  const callers = await meet();
  const bus = new TransportBus(callers);
  const stop = async (): Promise<void> => {
    bus.close();
    for (const { service } of started) await service.stop();
    await Promise.all([callers, ...started.map(({ transport }) => transport)].map((transport) => transport.close()));
  };
  const [speechHere] = started;
  const drain = (): Promise<void> => speechHere?.service.stop() ?? Promise.resolve();
  return { bus, keys, metrics, stop, drain };
}

function keeperOf(keys: KeysOfTheTest) {
  @Controller()
  class ScriptedKeys {
    @Handles(readProviderSecret)
    read({ providerKind, providerID }: Secret, call: Call): Awaited<ReturnType<HandlerOf<typeof readProviderSecret>>> {
      const name = `${organizationOf(call)}/${providerKind}/${providerID}`;
      keys.asked.push(name);
      return { secret: keys.held.get(name) ?? null };
    }
  }

  @Module({ controllers: [ScriptedKeys] })
  class KeyKeeper {}
  return KeyKeeper;
}
