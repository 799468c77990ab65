import {
  deleteProviderKey,
  listLlmProviders,
  listProviderKeys,
  providerKeyChanged,
  readProviderSecret,
  saveAgent,
  saveRuntimeConfig,
  setProviderKey,
  testProviderKey,
} from '@parley/contracts';
import { askPublicServer, type AskPublicServer } from '@parley/service-kit';
import { Client } from 'pg';
import { Installation, scratch, secretKey } from '../installation.suite';
import { OverheardEvents } from '../overheard-events.suite';

const anthropic = { providerKind: 'LLM', providerID: 3 } as const;
const key = 'sk-ant-very-secret-9aQz';

describe('provider keys of an organization', () => {
  let installation: Installation;
  let asked: Parameters<AskPublicServer>[0][];
  let answer: AskPublicServer;
  beforeAll(async () => {
    installation = await Installation.start({
      ask: async (request) => {
        asked.push(request);
        return answer(request);
      },
    });
  });
  beforeEach(() => {
    asked = [];
    answer = async () => ({ status: 200, body: '{}' });
  });
  afterAll(() => installation.stop());

  it('are listed without the key, replaced when set again, and gone when deleted', async () => {
    const { ask } = installation.member();
    await ask(setProviderKey, { ...anthropic, key: 'an older key of the same' });
    const set = await ask(setProviderKey, { ...anthropic, key });
    expect(set).toMatchObject({ ...anthropic, lastFour: '9aQz', baseURL: null, isWorking: null });
    expect(await ask(listProviderKeys, {})).toEqual([set]);
    expect(JSON.stringify(set)).not.toContain('secret');
    expect(await ask(readProviderSecret, anthropic)).toEqual({ secret: { key, baseURL: null, model: null } });
    await ask(deleteProviderKey, set);
    expect(await ask(listProviderKeys, {})).toEqual([]);
    expect(await ask(readProviderSecret, anthropic)).toEqual({ secret: null });
    await expect(ask(deleteProviderKey, set)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('keep server and model when set again, until null clears them', async () => {
    const { ask } = installation.member();
    const place = { baseURL: 'https://models.example.com/v1', model: 'qwen3-8b' };
    await ask(setProviderKey, { ...anthropic, key: 'an older key of the same', ...place });
    expect(await ask(setProviderKey, { ...anthropic, key })).toMatchObject({ ...place, lastFour: '9aQz' });
    expect(await ask(readProviderSecret, anthropic)).toEqual({ secret: { key, ...place } });
    const cleared = { baseURL: null, model: null };
    expect(await ask(setProviderKey, { ...anthropic, key, ...cleared })).toMatchObject(cleared);
  });

  it('cannot be changed by members who see only some agents, since every agent uses them', async () => {
    const owner = installation.member();
    const set = await owner.ask(setProviderKey, { ...anthropic, key });
    const restricted = installation.memberOf({ orgId: owner.principal.orgId, agentIds: [1] });
    const elsewhere = { ...anthropic, key, baseURL: 'https://attacker.example/v1' };
    await expect(restricted.ask(setProviderKey, elsewhere)).rejects.toMatchObject({ code: 'SCOPE_MISSING' });
    await expect(restricted.ask(deleteProviderKey, set)).rejects.toMatchObject({ code: 'SCOPE_MISSING' });
    expect(await owner.ask(listProviderKeys, {})).toEqual([set]);
  });

  it('notify services that cache them when one is set or deleted', async () => {
    const changes = await OverheardEvents.on(installation.broker, providerKeyChanged);
    const { ask } = installation.member();
    const set = await ask(setProviderKey, { providerKind: 'VOICE', providerID: 5, key });
    await changes.heardOf(({ providerKind, providerID }) => providerKind === 'VOICE' && providerID === 5);
    await ask(deleteProviderKey, set);
    await changes.heardOf(({ providerKind, providerID }) => providerKind === 'VOICE' && providerID === 5, 2);
  });

  it('exist once per provider, even if set concurrently, and leave no secret behind', async () => {
    const { ask } = installation.member();
    const before = await sealedTexts(installation.database.adminUrl);
    await Promise.all(
      ['1-key-of-four', '2-key-of-four', '3-key-of-four', '4-key-of-four'].map((each) =>
        ask(setProviderKey, { ...anthropic, key: each }),
      ),
    );
    expect(await ask(listProviderKeys, {})).toHaveLength(1);
    expect((await ask(readProviderSecret, anthropic)).secret?.key).toMatch(/-key-of-four$/);
    expect(await sealedTexts(installation.database.adminUrl)).toHaveLength(before.length + 1);
  });

  it('belong to their organization, and make its providers configured', async () => {
    const [mine, theirs] = [installation.member(), installation.member()];
    const isConfigured = async ({ ask }: typeof mine) =>
      (await ask(listLlmProviders, {})).find(({ LLMProviderID }) => LLMProviderID === anthropic.providerID);
    expect(await isConfigured(mine)).toMatchObject({ isConfigured: false, missingSettings: ['ANTHROPIC_API_KEY'] });
    const { AgentID } = await mine.ask(saveAgent, scratch);
    const wish = {
      AgentID,
      IsAllowInteruption: 1,
      IsBackgroundNoiceFilter: 1,
      BackgroundNoiceFilterCount: 60,
      IsEnableDTMF: 0,
      LLMProviderID: 3,
      LLMModelID: 31,
    } as const;
    await expect(mine.ask(saveRuntimeConfig, wish)).rejects.toMatchObject({ code: 'PROVIDER_NOT_CONFIGURED' });
    const set = await mine.ask(setProviderKey, { ...anthropic, key });
    expect(await isConfigured(mine)).toMatchObject({ isConfigured: true, missingSettings: [] });
    await expect(mine.ask(saveRuntimeConfig, wish)).resolves.toMatchObject({ LLMModelID: 31, warnings: [] });
    expect(await isConfigured(theirs)).toMatchObject({ isConfigured: false });
    expect(await theirs.ask(readProviderSecret, anthropic)).toEqual({ secret: null });
    await expect(theirs.ask(deleteProviderKey, set)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('keep what was chosen with them when they are removed, which later saves report', async () => {
    const { ask } = installation.member();
    const set = await ask(setProviderKey, { ...anthropic, key });
    const { AgentID } = await ask(saveAgent, scratch);
    await ask(saveRuntimeConfig, { AgentID, LLMProviderID: 3 });
    await ask(deleteProviderKey, set);
    const saved = await ask(saveRuntimeConfig, { AgentID, LLMProviderID: 3, LLMModelID: 31, Temperature: 0.1 });
    expect(saved).toMatchObject({ LLMModelID: 31, Temperature: 0.1 });
    expect(saved.warnings).toEqual([
      'LLMProviderID: The provider anthropic is not configured: ANTHROPIC_API_KEY is missing. Until it works, others are used in its place, if there are any.',
    ]);
    const another = ask(saveRuntimeConfig, { AgentID, LLMFallbackModelIDs: [32] });
    await expect(another).rejects.toMatchObject({ code: 'PROVIDER_NOT_CONFIGURED', details: [{ field: 'LLMFallbackModelIDs' }] });
  });

  it('are tested against their provider, and the result is stored', async () => {
    const { ask } = installation.member();
    await ask(setProviderKey, { ...anthropic, key });
    expect(await ask(testProviderKey, anthropic)).toMatchObject({ isWorking: true, reason: null });
    expect(asked).toMatchObject([{ url: 'https://api.anthropic.com/v1/models', method: 'GET', headers: { 'x-api-key': key } }]);
    expect((await ask(listProviderKeys, {}))[0]).toMatchObject({ isWorking: true, lastTestedOn: expect.any(String) });
    answer = async () => ({ status: 401, body: `your key ${key} is wrong` });
    const failed = await ask(testProviderKey, anthropic);
    expect(failed).toMatchObject({ isWorking: false, reason: 'The provider answered 401: it does not accept this key.' });
    expect((await ask(listProviderKeys, {}))[0]).toMatchObject({ isWorking: false });
  });

  it('are sent to no other address, whatever the test request says', async () => {
    const { ask } = installation.member();
    await ask(setProviderKey, { ...anthropic, key, baseURL: 'https://proxy.example/anthropic/' });
    const elsewhere = ask(testProviderKey, { ...anthropic, baseURL: 'https://thief.example' });
    const message = 'baseURL is not where the stored key is sent: to test another address, send a key with it';
    await expect(elsewhere).rejects.toMatchObject({ code: 'VALIDATION_FAILED', message });
    expect(asked).toEqual([]);
    await ask(testProviderKey, { ...anthropic, baseURL: 'https://proxy.example/anthropic/' });
    expect(asked.map(({ url }) => url)).toEqual(['https://proxy.example/anthropic/v1/models']);
  });

  it('do not follow an address that is set without them', async () => {
    const { ask } = installation.member();
    await ask(setProviderKey, { ...anthropic, key, baseURL: 'https://proxy.example/anthropic' });
    const moved = { ...anthropic, baseURL: 'https://thief.example' };
    for (const request of [moved, { ...moved, key: '' }, { ...moved, key: null }])
      expect(setProviderKey.request.safeParse(request).success).toBe(false);
    // @ts-expect-error: a request without its key, as a client may send it.
    await expect(ask(setProviderKey, moved)).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
    expect(await ask(readProviderSecret, anthropic)).toMatchObject({
      secret: { key, baseURL: 'https://proxy.example/anthropic' },
    });
  });

  it('can be tested before they are stored, at public addresses only', async () => {
    const { ask } = installation.member();
    await expect(ask(testProviderKey, anthropic)).rejects.toMatchObject({ code: 'PROVIDER_NOT_CONFIGURED' });
    expect(await ask(testProviderKey, { ...anthropic, key: 'tried' })).toMatchObject({ isWorking: true });
    expect(await ask(listProviderKeys, {})).toEqual([]);
    answer = askPublicServer;
    const inside = await ask(testProviderKey, { ...anthropic, key: 'tried', baseURL: 'https://169.254.169.254' });
    expect(inside).toMatchObject({ isWorking: false, reason: 'This address may not be asked: it must be https and public.' });
    const plain = ask(setProviderKey, { ...anthropic, key, baseURL: 'http://proxy.example' });
    await expect(plain).rejects.toMatchObject({ code: 'VALIDATION_FAILED', message: 'baseURL must begin with https://' });
    const named = ask(testProviderKey, { ...anthropic, key, baseURL: 'HTTPS://user:pw@proxy.example' });
    await expect(named).rejects.toMatchObject({ message: 'baseURL must hold no user name and no password' });
  });

  it.each(['https://169.254.169.254', 'https://[::1]/v1', 'https://localhost', 'https://10.0.0.7:8443/v1'])(
    'are not stored for a private address: %s',
    async (baseURL) => {
      const { ask } = installation.member();
      const refusal = { code: 'VALIDATION_FAILED', message: 'baseURL cannot be called: the address is not public' };
      await expect(ask(setProviderKey, { ...anthropic, key, baseURL })).rejects.toMatchObject(refusal);
      expect(await ask(listProviderKeys, {})).toEqual([]);
    },
  );

  it('are a single line, since they become a header', async () => {
    const { ask } = installation.member();
    for (const contract of [setProviderKey, testProviderKey] as const) {
      const asking = ask(contract as typeof setProviderKey, { ...anthropic, key: `${key}\r\nHost: evil.example` });
      await expect(asking).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
    }
  });

  it('are accepted only for providers that need one', async () => {
    const { ask } = installation.member();
    for (const providerID of [1, 99]) {
      await expect(ask(setProviderKey, { providerKind: 'LLM', providerID, key })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    }
    const azure = ask(setProviderKey, { providerKind: 'VOICE', providerID: 7, key });
    await expect(azure).rejects.toMatchObject({ message: 'baseURL is required for this provider' });
  });

  it('for the organization’s own server name the model to use', async () => {
    const { ask } = installation.member();
    const own = { providerKind: 'LLM', providerID: 5, key, baseURL: 'https://models.example/v1' } as const;
    await expect(ask(setProviderKey, own)).rejects.toMatchObject({ message: 'model is required for this provider' });
    expect(await ask(setProviderKey, { ...own, model: 'qwen3-8b' })).toMatchObject({ model: 'qwen3-8b' });
    const { secret } = await ask(readProviderSecret, { providerKind: 'LLM', providerID: 5 });
    expect(secret).toEqual({ key, baseURL: 'https://models.example/v1', model: 'qwen3-8b' });
  });

  it('are sealed in the database, and resealed when the installation’s key changes', async () => {
    const first = await Installation.start({ environment: { PARLEY_SECRET_KEY: secretKey('old') } });
    const { principal, ask } = first.member();
    await ask(setProviderKey, { ...anthropic, key });
    const sealed = await sealedTexts(first.database.adminUrl);
    expect(sealed).toHaveLength(1);
    expect(sealed[0]).not.toContain('secret');
    await first.stopService();

    const rotation = { PARLEY_SECRET_KEY: secretKey('new'), PARLEY_SECRET_KEYS_OLD: `${secretKey('older')},${secretKey('old')}` };
    const second = await Installation.start({ environment: rotation, database: first.database });
    expect(await sealedTexts(first.database.adminUrl)).not.toEqual(sealed);
    await second.stopService();

    const third = await Installation.start({ environment: { PARLEY_SECRET_KEY: secretKey('new') }, database: first.database });
    expect(await third.memberOf({ orgId: principal.orgId }).ask(readProviderSecret, anthropic)).toMatchObject({
      secret: { key },
    });
    await third.stop();
  });
});

async function sealedTexts(url: string): Promise<string[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ sealed: string }>('SELECT sealed FROM agents.secrets');
  await client.end();
  return rows.map(({ sealed }) => sealed);
}
