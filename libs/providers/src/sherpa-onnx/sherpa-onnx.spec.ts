import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { SherpaHearing, SherpaSpeaking } from './index';

async function* second(): AsyncGenerator<Int16Array> {
  yield new Int16Array(16_000).fill(3000);
}

/** With the real package, up to the model itself, which no registry has. */
describe('sherpa-onnx', () => {
  let folder: string;
  let speaking: SherpaSpeaking;
  let hearing: SherpaHearing;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'models-'));
    speaking = new SherpaSpeaking(folder);
    hearing = new SherpaHearing(folder);
  });
  afterEach(async () => {
    await Promise.all([speaking.close(), hearing.close()]);
    await rm(folder, { recursive: true });
  });

  const place = async (name: string, files: readonly string[]): Promise<void> => {
    await mkdir(path.join(folder, name), { recursive: true });
    for (const file of files) await writeFile(path.join(folder, name, file), 'no model');
  };
  const amy = ['en_US-amy-low.onnx', 'tokens.txt', 'espeak-ng-data'];
  const whisper = ['base-encoder.int8.onnx', 'base-decoder.int8.onnx', 'base-tokens.txt'];

  it('names the setting it needs without a model, and works once one is there', async () => {
    expect(speaking.capabilities.unavailable).toMatch(/PARLEY_MODELS.*npm run models -- add vits-piper-en_US-amy-low/);
    expect(hearing.capabilities.unavailable).toMatch(/PARLEY_MODELS.*npm run models -- add sherpa-onnx-whisper-base/);
    await place('vits-piper-en_US-amy-low', amy.slice(0, 2));
    expect(speaking.capabilities.unavailable).toBeDefined();
    await place('vits-piper-en_US-amy-low', amy);
    await place('sherpa-onnx-whisper-base', whisper);
    expect([speaking.capabilities.unavailable, hearing.capabilities.unavailable]).toEqual([undefined, undefined]);
  });

  it('refuses languages without a model', async () => {
    const speech = speaking.speak({ text: 'hello', language: 'marathi' });
    await expect(speech.next()).rejects.toMatchObject({ provider: 'sherpa-onnx', retryable: false });
    const unknown = hearing.transcribe({ audio: second, sampleRate: 16_000, language: 'hindi', model: 'whisper-small' });
    await expect(unknown).rejects.toMatchObject({
      retryable: false,
      message: expect.stringContaining('add sherpa-onnx-whisper-small'),
    });
  });

  it('loses only its own process over a corrupt model', async () => {
    await place('vits-piper-en_US-amy-low', amy);
    await place('sherpa-onnx-whisper-base', whisper);
    await expect(speaking.speak({ text: 'hello', language: 'english' }).next()).rejects.toMatchObject({
      name: 'ProviderFailure',
    });
    const heard = hearing.transcribe({ audio: second, sampleRate: 16_000, language: 'english' });
    await expect(heard).rejects.toMatchObject({ name: 'ProviderFailure' });
  });
});
