import {
  listLlmModels,
  listLlmProviders,
  listTranscribeModels,
  listTranscribeProviders,
  listVoiceModels,
  listVoiceProviders,
} from '@parley/contracts';
import { Installation } from '../installation.suite';
import { keyCheckOf } from '../provider-keys/key-checks';
import { catalogue } from './catalogue';

describe('the provider catalogue', () => {
  let installation: Installation;
  beforeAll(async () => {
    installation = await Installation.start({ environment: { SARVAM_API_KEY: 'key', POCKETSPHINX_DIR: '/nowhere' } });
  });
  afterAll(() => installation.stop());

  it('lists what the build has, and says which of it this installation can use', async () => {
    const { ask } = installation.member();
    const llm = await ask(listLlmProviders, {});
    expect(llm[0]).toMatchObject({
      LLMProviderID: 1,
      name: 'builtin',
      isConfigured: true,
      missingSettings: [],
      isLocal: true,
      quality: 'DEMO',
    });
    expect(llm.find(({ name }) => name === 'openai')).toMatchObject({ isConfigured: false, missingSettings: ['OPENAI_API_KEY'] });
    const voices = await ask(listVoiceProviders, {});
    expect(voices.find(({ name }) => name === 'flite')).toMatchObject({
      VoiceProviderID: 1,
      isConfigured: true,
      languages: ['english'],
    });
    expect(voices.find(({ name }) => name === 'sarvam')).toMatchObject({ isConfigured: true, latency: 'FAST' });
    const hearing = await ask(listTranscribeProviders, {});
    expect(hearing.find(({ name }) => name === 'sarvam')).toMatchObject({ isConfigured: true });
    expect(hearing.find(({ name }) => name === 'deepgram')).toMatchObject({ isConfigured: false, isStreaming: true });
  });

  it('lists the models and voices of a provider, and knows no others', async () => {
    const { ask } = installation.member();
    expect((await ask(listLlmModels, { llmProviderID: '1' }))[0]).toMatchObject({ LLMModelID: 1, name: 'extractive' });
    const voices = await ask(listVoiceModels, { voiceProviderID: '1' });
    expect(voices.find(({ name }) => name === 'slt')).toMatchObject({ VoiceID: 3, gender: 'FEMALE', sampleRates: [16_000] });
    expect(await ask(listTranscribeModels, { transcribeProviderID: 1 })).toMatchObject([{ TranscribeID: 1, name: 'en-us' }]);
    for (const attempt of [
      ask(listLlmModels, { llmProviderID: 99 }),
      ask(listVoiceModels, { voiceProviderID: 99 }),
      ask(listTranscribeModels, { transcribeProviderID: 99 }),
    ])
      await expect(attempt).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('knows how to try the key of every provider that takes one', () => {
    const remote = catalogue.filter(({ isLocal }) => !isLocal);
    expect(remote.filter(({ kind, name }) => !keyCheckOf(kind, name))).toEqual([]);
  });
});
