import {
  builtinToolNames,
  diffAgentVersions,
  getAgent,
  getRuntimeConfig,
  listAgentVersions,
  readAgentRuntime,
  restoreAgentVersion,
  saveAgent,
  saveRuntimeConfig,
} from '@parley/contracts';
import { Installation, type Member, scratch } from '../installation.suite';

const usual = {
  IsAllowInteruption: 1,
  IsBackgroundNoiceFilter: 1,
  BackgroundNoiceFilterCount: 60,
  IsEnableDTMF: 0,
} as const;
const tool = (value: string, isSecret = true) => ({
  name: 'order_status',
  description: 'Looks up an order.',
  url: 'https://shop.example/api',
  parameters: { type: 'object' },
  headers: [{ name: 'Authorization', value, isSecret }],
});

const number = (name: string) => ({ name, number: '+912025501234' });

describe('runtime configurations', () => {
  let installation: Installation;
  beforeAll(async () => {
    installation = await Installation.start({
      environment: { ELEVENLABS_API_KEY: 'key', POCKETSPHINX_DIR: __dirname },
    });
  });
  afterAll(() => installation.stop());

  const agentOf = async ({ ask }: Member) => ask(saveAgent, scratch);

  it('say in one word how patient an agent is, which null takes back, and versions keep', async () => {
    const member = installation.member();
    const { AgentID, AgentKeyID } = await agentOf(member);
    expect(await member.ask(getRuntimeConfig, { AgentKeyID })).toMatchObject({ Patience: null });
    const own = { ...usual, AgentID, EndOfTurn: { silenceMs: 700 } };
    const saved = await member.ask(saveRuntimeConfig, { ...own, Patience: 'PATIENT' });
    expect(saved).toMatchObject({ Patience: 'PATIENT', EndOfTurn: { silenceMs: 700 } });
    expect(await member.ask(saveRuntimeConfig, { AgentID, Temperature: 1 })).toMatchObject({ Patience: 'PATIENT' });
    const { RuntimeConfiguration } = await member.ask(readAgentRuntime, { AgentID });
    expect(RuntimeConfiguration.Patience).toBe('PATIENT');
    expect(await member.ask(saveRuntimeConfig, { AgentID, Patience: null })).toMatchObject({ Patience: null });
    await member.ask(restoreAgentVersion, { AgentKeyID, Version: saved.Version });
    expect(await member.ask(getRuntimeConfig, { AgentKeyID })).toMatchObject({ Patience: 'PATIENT' });
  });

  it('are read back with defaults, as a version of their agent', async () => {
    const member = installation.member();
    const { AgentID, AgentKeyID } = await agentOf(member);
    const defaults = await member.ask(getRuntimeConfig, { AgentKeyID });
    expect(defaults).toMatchObject({
      AgentID,
      Version: 1,
      IsAllowInteruption: 1,
      LLMModelID: null,
      TranscribeID: null,
      TranscribeProviderID: null,
      EndOfTurn: { silenceMs: 600 },
    });
    const wish = {
      ...usual,
      AgentID,
      LLMProviderID: 1,
      LLMModelID: 1,
      VoiceProviderID: 5,
      VoiceID: 41,
      VoiceSpeed: 1.1,
      FallbackVoiceIDs: [3],
    };
    const { warnings, ...saved } = await member.ask(saveRuntimeConfig, wish);
    expect(warnings).toEqual([]);
    expect(saved).toMatchObject({ ...wish, Version: 2, Temperature: 0.4, MaxCallSeconds: 1800 });
    expect(await member.ask(getRuntimeConfig, { AgentID: String(AgentID) })).toEqual(saved);
    expect((await member.ask(getAgent, { AgentKeyID })).RuntimeConfiguration).toEqual(saved);
    expect((await member.ask(readAgentRuntime, { AgentID })).RuntimeConfiguration).toEqual(saved);
    const { rows } = await member.ask(listAgentVersions, { AgentKeyID });
    expect(rows[0]?.changedFields).toEqual(expect.arrayContaining(['VoiceID', 'IsEnableDTMF', 'FallbackVoiceIDs']));
    await member.ask(restoreAgentVersion, { AgentKeyID, Version: 1 });
    expect(await member.ask(getRuntimeConfig, { AgentKeyID })).toMatchObject({ VoiceID: null, Version: 3 });
  });

  it('warn of voices of which none speaks the agent’s language, and name those that do', async () => {
    const member = installation.member();
    const { AgentID } = await member.ask(saveAgent, { ...scratch, AgentName: 'Hindi', LanguageID: 2 });
    const warningsOf = async (settings: object) =>
      (await member.ask(saveRuntimeConfig, { ...usual, AgentID, ...settings })).warnings;
    const [warning = ''] = await warningsOf({ VoiceID: 3 });
    expect(warning).toMatch(/^No chosen voice speaks hindi, so another one does\. Voices that speak it: \d+/);
    const fitting = Number(/: (\d+)/.exec(warning)?.[1]);
    expect(await warningsOf({ VoiceID: 3, VoiceProviderID: null, FallbackVoiceIDs: [fitting] })).toEqual([]);
    expect(await warningsOf({ VoiceID: null, FallbackVoiceIDs: null })).toEqual([]);
  });

  it('warn where a provider without a model replaces the model of another', async () => {
    const member = installation.member();
    const { AgentID } = await member.ask(saveAgent, scratch);
    const save = async (settings: object) => (await member.ask(saveRuntimeConfig, { AgentID, ...settings })).warnings;
    expect(await save({ VoiceProviderID: 1, VoiceID: 3 })).toEqual([]);
    expect(await save({ VoiceProviderID: 5 })).toEqual([
      expect.stringMatching(/^VoiceID is \d+ now, because 3 is none of VoiceProviderID 5 that works here\.$/),
    ]);
    expect(await save({ VoiceProviderID: 5 })).toEqual([]);
    expect(await save({ VoiceProviderID: 1, VoiceID: 3 })).toEqual([]);
  });

  it('keep what a save omits, also within a group of settings', async () => {
    const member = installation.member();
    const { AgentID } = await agentOf(member);
    const transfer = [{ name: 'Sales', number: '+912025501234' }];
    const first = { Temperature: 0.9, HinglishAnswers: 'HINDI', TransferNumbers: transfer, Tools: [tool('top')] } as const;
    await member.ask(saveRuntimeConfig, {
      ...usual,
      ...first,
      Tools: [...first.Tools],
      AgentID,
      EndOfTurn: { dictationSilenceMs: 2222 },
    });
    const saved = await member.ask(saveRuntimeConfig, { ...usual, AgentID, EndOfTurn: { silenceMs: 700 } });
    expect(saved).toMatchObject({ Temperature: 0.9, HinglishAnswers: 'HINDI', TransferNumbers: transfer });
    expect(saved.EndOfTurn).toEqual({ silenceMs: 700, dictationSilenceMs: 2222 });
    const runtime = await member.ask(readAgentRuntime, { AgentID });
    expect(runtime.RuntimeConfiguration.Tools[0]?.headers).toMatchObject([{ value: 'top' }]);
  });

  it('restore defaults for null, also for a group of settings', async () => {
    const member = installation.member();
    const { AgentID } = await agentOf(member);
    await member.ask(saveRuntimeConfig, {
      ...usual,
      AgentID,
      Temperature: 0.9,
      EndOfTurn: { silenceMs: 900 },
      Fillers: ['Well,'],
    });
    const saved = await member.ask(saveRuntimeConfig, { AgentID, Temperature: null, EndOfTurn: null, Fillers: null });
    expect(saved).toMatchObject({ Temperature: 0.4, EndOfTurn: { silenceMs: 600 }, Fillers: [], IsEnableDTMF: 0 });
  });

  it('use a provider’s first model if none is named', async () => {
    const member = installation.member();
    const { AgentID } = await agentOf(member);
    const saved = await member.ask(saveRuntimeConfig, { AgentID, LLMProviderID: 1, VoiceProviderID: 5 });
    expect(saved).toMatchObject({ LLMModelID: 1, VoiceID: 41 });
  });

  it.each([
    ['a language model', { LLMProviderID: 2 }],
    ['a voice', { VoiceProviderID: 4 }],
    ['a recognizer', { TranscribeProviderID: 3 }],
  ])('refuse the provider of %s without a model if it is not configured', async (_what, change) => {
    const member = installation.member();
    const { AgentID } = await agentOf(member);
    const saving = member.ask(saveRuntimeConfig, { AgentID, ...change });
    await expect(saving).rejects.toMatchObject({ code: 'PROVIDER_NOT_CONFIGURED', message: expect.stringContaining('missing') });
  });

  it.each([
    ['a voice of another provider', { VoiceProviderID: 2, VoiceID: 3 }, 'VoiceID 3 belongs to provider 1 (flite), not to 2'],
    ['a model without its provider’s name', { LLMProviderID: 99 }, 'LLMProviderID 99 is not in llm-provider-list'],
    ['an unknown fallback', { FallbackTranscribeIDs: [999] }, 'FallbackTranscribeIDs 999 belongs to no provider'],
    ['a fallback that is the first choice', { VoiceID: 3, FallbackVoiceIDs: [3] }, 'FallbackVoiceIDs must not repeat a voice'],
    [
      'a dictation timeout shorter than an answer',
      { EndOfTurn: { silenceMs: 2000, dictationSilenceMs: 1000 } },
      'EndOfTurn.dictationSilenceMs must not be less than EndOfTurn.silenceMs',
    ],
    [
      'a function named like a built-in one',
      { Tools: [{ ...tool('a'), name: 'search_knowledge' }] },
      `Tools must not be called as one of the platform: ${builtinToolNames.join(', ')}`,
    ],
    ['two functions of one name', { Tools: [tool('a'), tool('b')] }, 'Tools must each have a name of their own'],
    [
      'a function whose parameters are not an object',
      { Tools: [{ ...tool('a'), parameters: { type: 'string' } }] },
      'Tools.order_status.parameters must be a JSON Schema of type object',
    ],
    [
      'two numbers of one name',
      { TransferNumbers: [number('Sales'), number('sales ')] },
      'TransferNumbers must each have a name of their own',
    ],
    ['a number without a name', { TransferNumbers: [number(' ')] }, 'TransferNumbers must name +912025501234'],
    [
      'a mask without a stored secret',
      { Tools: [tool('••••')] },
      'Tools.order_status.headers.Authorization is masked, but no secret is stored for it at https://shop.example',
    ],
    [
      'a mask not marked as secret',
      { Tools: [{ ...tool('a'), headers: [{ name: 'X-Shop', value: '••••', isSecret: false }] }] },
      'Tools.order_status.headers.X-Shop is masked: mark it isSecret to keep its secret, or send its value',
    ],
    [
      'a password in a function’s URL',
      { Tools: [{ ...tool('a'), url: 'https://shop:hunter2@shop.example/orders' }] },
      'Tools.order_status.url must hold no user name and no password',
    ],
    [
      'a function in our own network',
      { Tools: [{ ...tool('a'), url: 'https://169.254.169.254/latest/meta-data' }] },
      'Tools.order_status.url cannot be called: the address is not public',
    ],
    [
      'a function on this machine, by name',
      { Tools: [{ ...tool('a'), url: 'https://localhost:8080/' }] },
      'Tools.order_status.url cannot be called: the address is not public',
    ],
    [
      'a function without TLS',
      { Tools: [{ ...tool('a'), url: 'http://shop.example/orders' }] },
      'Tools.order_status.url cannot be called: http: is not allowed, only https:',
    ],
    [
      'a header that would inject another',
      { Tools: [tool('Bearer a\r\nHost: evil.example', false)] },
      'Tools.order_status.headers.Authorization must be one line of characters that a header may hold',
    ],
    [
      'a header that no request can carry',
      { Tools: [tool('नमस्ते')] },
      'Tools.order_status.headers.Authorization must be one line of characters that a header may hold',
    ],
    [
      'a webhook in our own network',
      { WebhookURL: 'https://[fd00::1]/news' },
      'WebhookURL cannot be called: the address is not public',
    ],
    [
      'a password in a webhook’s URL',
      { WebhookURL: 'https://shop:hunter2@shop.example/news' },
      'WebhookURL must hold no user name and no password',
    ],
  ])('refuse %s', async (_what, change, message) => {
    const member = installation.member();
    const { AgentID } = await agentOf(member);
    const saving = member.ask(saveRuntimeConfig, { ...usual, AgentID, ...change });
    await expect(saving).rejects.toMatchObject({ code: 'VALIDATION_FAILED', message });
  });

  it('refuse a header with a misspelt switch, which would leave a secret readable', async () => {
    const member = installation.member();
    const { AgentID } = await agentOf(member);
    const headers = [{ name: 'X-Shop', value: 'a', secret: true }];
    const saving = member.ask(saveRuntimeConfig, { ...usual, AgentID, Tools: [{ ...tool('a'), headers }] });
    await expect(saving).rejects.toThrow('Unrecognized key: "secret"');
  });

  const within = (depth: number): object => (depth === 0 ? { type: 'string' } : { type: 'array', items: within(depth - 1) });
  const day = (schema: object) => ({ type: 'object', properties: { day: schema } });

  it.each([
    ['of an unknown type', day({ type: 'date' }), 'properties.day.type must be one of object, array, string,'],
    ['of an unknown type among others', day({ type: ['string', 'date'] }), 'properties.day.type must be one of object'],
    ['that is no schema', day([]), 'properties.day is no JSON Schema'],
    ['whose properties are a list', { type: 'object', properties: ['day'] }, 'properties is no JSON Schema'],
    ['that refers to nowhere', day({ $ref: '#/$defs/Day' }), 'properties.day.$ref leads to no schema within: #/$defs/Day'],
    ['that refers to another server', day({ $ref: 'https://evil.example/day.json' }), 'properties.day.$ref leads to no schema'],
    [
      'that refers to itself only',
      { ...day({ $ref: '#/$defs/a' }), $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } },
      '$ref leads to no schema within',
    ],
    ['that refers to what is inherited', day({ $ref: '#/constructor' }), 'properties.day.$ref leads to no schema within'],
    [
      'that demands what it has not',
      { ...day({ type: 'string' }), required: ['date'] },
      'required names date, which is none of the properties',
    ],
    ['that demands a thing twice', { ...day({ type: 'string' }), required: ['day', 'day'] }, 'required must not repeat a name'],
    ['with a choice at the top', { type: 'object', anyOf: [day({ type: 'string' })] }, 'anyOf is not possible at the top'],
    ['with no choice', day({ enum: [] }), 'properties.day.enum is no JSON Schema'],
    ['with a list of anything', day({ type: 'array' }), 'properties.day must say by items what the array has'],
    [
      'with a property that providers refuse',
      { type: 'object', properties: { 'the day': {} } },
      'properties.the day must have a name of',
    ],
    ['with a pattern that is none', day({ type: 'string', pattern: '(' }), 'properties.day.pattern must be a regular expression'],
    [
      'with bounds that exclude all',
      day({ type: 'string', minLength: 3, maxLength: 2 }),
      'properties.day.minLength must not be more than maxLength',
    ],
    ['with a negative length', day({ type: 'string', minLength: -1 }), 'properties.day.minLength is no JSON Schema'],
    ['that is nested without end', day(within(30)), 'items is nested deeper than 10 schemas'],
    ['that is huge', day({ type: 'string', description: 'x'.repeat(17_000) }), ' must be at most 16384 bytes of JSON'],
  ])('refuse the parameters of a function %s, and name the place', async (_what, parameters, place) => {
    const member = installation.member();
    const { AgentID } = await agentOf(member);
    const saving = member.ask(saveRuntimeConfig, { AgentID, Tools: [{ ...tool('a'), parameters: { ...parameters } }] });
    const message = expect.stringMatching(/^Tools\.order_status\.parameters/);
    await expect(saving).rejects.toMatchObject({ code: 'VALIDATION_FAILED', message });
    await expect(saving).rejects.toMatchObject({ message: expect.stringContaining(place) });
  });

  it.each([
    [
      'a shape of its own',
      { ...day({ $ref: '#/$defs/Day' }), $defs: { Day: { type: 'string', enum: ['Sunday'] } }, required: ['day'] },
    ],
    ['a tree', { ...day({ $ref: '#' }), additionalProperties: false }],
    [
      'choices and lists',
      day({ anyOf: [{ type: 'null' }, { type: 'array', items: { type: ['string', 'null'] }, maxItems: 3 }] }),
    ],
    ['what one of two is needed of', day({ ...day({ type: 'string' }), anyOf: [{ required: ['day'] }, { required: ['date'] }] })],
    [
      'words of other drafts',
      { ...day({ type: 'string', format: 'date', 'x-shown': true }), $schema: 'https://json-schema.org/draft/2020-12/schema' },
    ],
    ['nothing', { type: 'object' }],
  ])('take the parameters of a function with %s', async (_what, parameters) => {
    const member = installation.member();
    const { AgentID } = await agentOf(member);
    const saved = await member.ask(saveRuntimeConfig, { AgentID, Tools: [{ ...tool('a'), parameters: { ...parameters } }] });
    expect(saved.Tools[0]?.parameters).toEqual(parameters);
  });

  it('refuse to overwrite a version that the client has not seen', async () => {
    const member = installation.member();
    const { AgentID } = await agentOf(member);
    await member.ask(saveRuntimeConfig, { ...usual, AgentID, Version: 1 });
    const late = member.ask(saveRuntimeConfig, { ...usual, AgentID, Version: 1 });
    await expect(late).rejects.toMatchObject({ code: 'CONFLICT', message: expect.stringContaining('at version 2 now') });
  });

  it('belong to agents of their organization', async () => {
    const [mine, theirs] = [installation.member(), installation.member()];
    const { AgentID } = await agentOf(theirs);
    await expect(mine.ask(saveRuntimeConfig, { ...usual, AgentID })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(mine.ask(getRuntimeConfig, { AgentID })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it.each([
    'https://thief.example/api',
    'http://shop.example/api',
    'https://shop.example:8443/api',
    'https://shop.example.thief.example/',
  ])('send a secret only to its own origin: %s', async (url) => {
    const member = installation.member();
    const { AgentID } = await agentOf(member);
    const saved = await member.ask(saveRuntimeConfig, { ...usual, AgentID, Tools: [tool('Bearer s3cret')] });
    const moved = saved.Tools.map((each) => ({ ...each, url }));
    const moving = member.ask(saveRuntimeConfig, { ...usual, AgentID, Tools: moved });
    await expect(moving).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      message: expect.stringMatching(/no secret is stored|http: is not allowed/),
    });
    const deeper = saved.Tools.map((each) => ({ ...each, url: `${each.url}/v2` }));
    await member.ask(saveRuntimeConfig, { ...usual, AgentID, Tools: deeper });
    const { Tools } = (await member.ask(readAgentRuntime, { AgentID })).RuntimeConfiguration;
    expect(Tools[0]?.headers[0]?.value).toBe('Bearer s3cret');
  });

  it('reveal a secret to conversations only, and keep it when its mask is sent back', async () => {
    const member = installation.member();
    const { AgentID, AgentKeyID } = await agentOf(member);
    const saved = await member.ask(saveRuntimeConfig, { ...usual, AgentID, Tools: [tool('Bearer s3cret')] });
    const read = [saved, await member.ask(getRuntimeConfig, { AgentKeyID }), await member.ask(getAgent, { AgentKeyID })];
    expect(JSON.stringify(read)).not.toContain('s3cret');
    expect(saved.Tools[0]?.headers).toEqual([{ name: 'Authorization', value: '••••', isSecret: true }]);
    const told = async () => (await member.ask(readAgentRuntime, { AgentID })).RuntimeConfiguration.Tools[0]?.headers[0]?.value;
    expect(await told()).toBe('Bearer s3cret');
    await member.ask(saveRuntimeConfig, { ...usual, AgentID, Tools: saved.Tools });
    expect(await told()).toBe('Bearer s3cret');
    await member.ask(saveRuntimeConfig, { ...usual, AgentID, Tools: [tool('Bearer n3w')] });
    expect(await told()).toBe('Bearer n3w');
    const { changes } = await member.ask(diffAgentVersions, { AgentKeyID, fromVersion: 3, toVersion: 4 });
    expect(changes.map(({ field }) => field)).toEqual(['Tools']);
    expect(JSON.stringify(changes)).not.toMatch(/s3cret|n3w|secret:/);
    await member.ask(restoreAgentVersion, { AgentKeyID, Version: 2 });
    expect(await told()).toBe('Bearer s3cret');
  });
});
