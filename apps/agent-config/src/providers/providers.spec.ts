import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  listLlmModels,
  listLlmProviders,
  listTranscribeModels,
  listTranscribeProviders,
  listVoiceModels,
  listVoiceProviders,
} from '@parley/contracts';
import { Installation } from '../installation.suite';
import { catalogue, keyCheckOf } from './catalogue';

const folder = mkdtempSync(path.join(tmpdir(), 'parley-engines-'));

describe('the provider catalogue', () => {
  let installation: Installation;
  beforeAll(async () => {
    installation = await Installation.start({ environment: { SARVAM_API_KEY: 'key', POCKETSPHINX_DIR: folder } });
  });
  afterAll(async () => {
    await installation.stop();
    rmSync(folder, { recursive: true });
  });

  // If the machine has it already, there is nothing to wait for.
  const itWithout = existsSync('/usr/bin/pocketsphinx_continuous') ? it.skip : it;
  itWithout('reports an engine as working after it was unpacked while the service was running', async () => {
    const { ask } = installation.member();
    const told = async () => (await ask(listTranscribeProviders, {})).find(({ name }) => name === 'pocketsphinx');
    expect(await told()).toMatchObject({ isConfigured: false });
    mkdirSync(path.join(folder, 'usr/bin'), { recursive: true });
    mkdirSync(path.join(folder, 'usr/lib'));
    mkdirSync(path.join(folder, 'usr/share/pocketsphinx/model/en-us'), { recursive: true });
    writeFileSync(path.join(folder, 'usr/bin/pocketsphinx_continuous'), '', { mode: 0o755 });
    writeFileSync(path.join(folder, 'usr/share/pocketsphinx/model/en-us/en-us.lm.bin'), '');
    // The engine looks again after two seconds.
    const { now } = performance;
    const later = jest.spyOn(performance, 'now').mockImplementation(() => now.call(performance) + 3_000);
    expect(await told()).toMatchObject({ isConfigured: true, missingSettings: [] });
    later.mockRestore();
  });

  it('lists what the build contains and what of it this installation can use', async () => {
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

  it('can test the key of every provider that needs one', () => {
    const remote = catalogue.filter(({ isLocal }) => !isLocal);
    expect(remote.filter(({ kind, name }) => !keyCheckOf(kind, name))).toEqual([]);
  });
});
