import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { listTranscribeModels, listVoiceModels, saveAgent, saveRuntimeConfig } from '@parley/contracts';
import { Installation, type Member, scratch } from '../installation.suite';

const tool = (value: string) => ({
  name: 'order_status',
  description: 'Looks up an order.',
  url: 'https://shop.example/api',
  parameters: { type: 'object' },
  headers: [{ name: 'Authorization', value, isSecret: true }],
});

describe('runtime configurations that this installation cannot follow', () => {
  let installation: Installation;
  const models = mkdtempSync(path.join(tmpdir(), 'parley-models-'));
  beforeAll(async () => {
    mkdirSync(path.join(models, 'moonshine-base'));
    installation = await Installation.start({ environment: { POCKETSPHINX_DIR: __dirname, PARLEY_MODELS: models } });
  });
  afterAll(async () => {
    await installation.stop();
    rmSync(models, { recursive: true });
  });

  const agentOf = async ({ ask }: Member) => ask(saveAgent, scratch);

  it.each([{}, { RecordingConsentLine: 'This call is recorded.' }])(
    'refuse at once to announce a recording if none is made, and ask for no consent: %j',
    async (consent) => {
      const member = installation.member();
      const { AgentID } = await agentOf(member);
      const wish = { ...consent, AgentID, IsRecording: 1 as const };
      await expect(member.ask(saveRuntimeConfig, wish)).rejects.toMatchObject({
        code: 'CONFLICT',
        message: expect.stringContaining('IsRecording must be 0'),
        details: [{ field: 'IsRecording' }],
      });
    },
  );

  it('say everything at once that keeps them from being saved', async () => {
    const member = installation.member();
    const { AgentID } = await agentOf(member);
    const lacking = { IsRecording: 1 as const, VoiceProviderID: 4, TranscribeID: 1 };
    const saving = (change: object) => member.ask(saveRuntimeConfig, { AgentID, ...lacking, ...change });
    const fields = ['IsRecording', 'VoiceProviderID', 'TranscribeID'].map((field) => ({ field }));
    await expect(saving({})).rejects.toMatchObject({ code: 'CONFLICT', details: fields });
    await expect(
      saving({ FallbackTranscribeIDs: [999], Tools: [{ ...tool('a'), url: 'http://shop.example/' }] }),
    ).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      details: [{ field: 'FallbackTranscribeIDs' }, { field: 'Tools.order_status.url' }, ...fields],
    });
    await expect(saving({ IsRecording: 0 })).rejects.toMatchObject({ code: 'PROVIDER_NOT_CONFIGURED', details: fields.slice(1) });
  });

  it.each([
    [
      'a voice',
      { VoiceProviderID: 4, VoiceID: 31 },
      'VoiceProviderID',
      'The provider deepgram is not configured: DEEPGRAM_API_KEY is missing.',
    ],
    [
      'a fallback',
      { FallbackVoiceIDs: [61] },
      'FallbackVoiceIDs',
      'The provider azure is not configured: AZURE_SPEECH_KEY and AZURE_SPEECH_REGION are missing.',
    ],
    [
      'a recognizer',
      { TranscribeProviderID: 3, TranscribeID: 21 },
      'TranscribeProviderID',
      'The provider deepgram is not configured: DEEPGRAM_API_KEY is missing.',
    ],
    [
      'an engine that is not on this machine',
      { TranscribeProviderID: 1, TranscribeID: 1 },
      'TranscribeProviderID',
      expect.stringMatching(/^The provider pocketsphinx is not installed: .* provider\.$/),
    ],
    [
      'such a fallback',
      { FallbackTranscribeIDs: [1] },
      'FallbackTranscribeIDs',
      expect.stringMatching(/^The provider pocketsphinx is not installed: /),
    ],
    [
      'a voice that is not on this machine',
      { FallbackVoiceIDs: [71] },
      'FallbackVoiceIDs',
      expect.stringMatching(/^The provider \S+ finds no model in /),
    ],
    [
      'a model without its settings',
      { LLMProviderID: 5, LLMModelID: 51 },
      'LLMProviderID',
      'The provider openai-compatible is not configured: LLM_BASE_URL and LLM_MODEL are missing.',
    ],
    [
      'a provider without a model',
      { LLMProviderID: 5 },
      'LLMProviderID',
      'The provider openai-compatible is not configured: LLM_BASE_URL and LLM_MODEL are missing.',
    ],
    [
      'a model that is not on this machine, of an engine that is',
      { TranscribeProviderID: 8, TranscribeID: 81 },
      'TranscribeID',
      expect.stringMatching(/^The provider moonshine finds no moonshine-tiny in .*`npm run models -- add moonshine-tiny`/),
    ],
    [
      'such a model as a fallback',
      { FallbackTranscribeIDs: [81] },
      'FallbackTranscribeIDs',
      expect.stringMatching(/finds no moonshine-tiny in /),
    ],
  ])('name the missing setting for %s', async (_what, change, field, message) => {
    const member = installation.member();
    const { AgentID } = await agentOf(member);
    const saving = member.ask(saveRuntimeConfig, { AgentID, ...change });
    await expect(saving).rejects.toMatchObject({ code: 'PROVIDER_NOT_CONFIGURED', message, details: [{ field }] });
  });

  it('are not made of a provider alone: its first model that is on this machine is taken, which the list tells', async () => {
    const member = installation.member();
    const { AgentID } = await agentOf(member);
    const listed = await member.ask(listTranscribeModels, { transcribeProviderID: 8 });
    expect(listed).toMatchObject([
      {
        TranscribeID: 81,
        isConfigured: false,
        missingSettings: [expect.stringMatching(/`npm run models -- add moonshine-tiny`/)],
      },
      { TranscribeID: 82, isConfigured: true, missingSettings: [] },
    ]);
    expect(await member.ask(listVoiceModels, { voiceProviderID: 8 })).toContainEqual(
      expect.objectContaining({ VoiceID: 71, isConfigured: false }),
    );
    expect(await member.ask(saveRuntimeConfig, { AgentID, TranscribeProviderID: 8 })).toMatchObject({
      TranscribeID: 82,
      warnings: [],
    });
  });
});
