import { PassThrough } from 'node:stream';
import { Controller, Module } from '@nestjs/common';
import { type BodyOf, Fault, readProviderSecret, type ReplyOf } from '@parley/contracts';
import { type Call, Handles, InProcessBroker, organizationOf, runInCall, TransportBus } from '@parley/messaging';
import { languageModelProviders } from '@parley/providers/language-model-catalogue';
import { createLogger, defineService, Metrics, OrganizationKeys, type RunningService, startService } from '@parley/service-kit';
import { z } from 'zod';
import { ProviderSecrets } from './configured-models';

type Secret = ReplyOf<typeof readProviderSecret>['secret'];

const own = { key: 'own', baseURL: null, model: null };

const providerOf = (wanted: string) => {
  const provider = languageModelProviders.find(({ name }) => name === wanted);
  if (!provider) throw new Error('not found');
  return provider;
};
const callOf = (orgId: number): Call => ({
  requestId: 'spec',
  principal: { kind: 'agt', keyId: 'spec', orgId, agentId: 1 },
  deadlineAtMs: Date.now() + 5000,
  signal: new AbortController().signal,
});

describe('organizations’ provider keys', () => {
  const asked: string[] = [];
  let answer: (orgId: number) => Secret;
  let service: RunningService;
  let secrets: ProviderSecrets;

  @Controller()
  class ScriptedKeys {
    @Handles(readProviderSecret)
    read({ providerKind, providerID }: BodyOf<typeof readProviderSecret>, call: Call): ReplyOf<typeof readProviderSecret> {
      asked.push(`${providerKind} ${providerID} of ${organizationOf(call)}`);
      return { secret: answer(organizationOf(call)) };
    }
  }

  @Module({ controllers: [ScriptedKeys] })
  class ScriptedModule {}

  beforeEach(async () => {
    asked.length = 0;
    const broker = new InProcessBroker();
    const logger = createLogger({ level: 'info', isReadable: false, writesPii: false, destination: new PassThrough() });
    const neighbour = defineService({ name: 'agent-config', config: z.object({}), module: () => ScriptedModule });
    service = await startService(neighbour, { environment: {}, transport: broker.connect(), logger, metrics: new Metrics() });
    secrets = new ProviderSecrets(new OrganizationKeys(new TransportBus(broker.connect())));
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await service.stop();
  });

  const secretOf = (name: string, orgId: number) => runInCall(callOf(orgId), () => secrets.secretOf(providerOf(name), orgId));

  it('are fetched from agent-config per organization, and cached for a moment', async () => {
    answer = (orgId) => (orgId === 1 ? own : null);
    expect([await secretOf('openai', 1), await secretOf('openai', 2), await secretOf('openai', 1)]).toEqual([
      own,
      undefined,
      own,
    ]);
    expect(asked).toEqual(['LLM 2 of 1', 'LLM 2 of 2']);
    jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 15_001);
    answer = () => ({ ...own, key: 'another' });
    expect(await secretOf('openai', 1)).toMatchObject({ key: 'another' });
  });

  it('are not fetched for a provider that needs none', async () => {
    expect(await secretOf('builtin', 1)).toBeUndefined();
    expect(asked).toEqual([]);
  });

  it('are fetched again after a failure', async () => {
    answer = () => {
      throw new Fault('CONFLICT');
    };
    await expect(secretOf('openai', 1)).rejects.toMatchObject({ code: 'CONFLICT' });
    answer = () => own;
    await expect(secretOf('openai', 1)).resolves.toEqual(own);
  });
});
