import { samplesFromBytes, wavFile } from '@parley/audio';
import { describeSpeechToText, describeTextToSpeech } from '@parley/ports/suites';
import {
  demand,
  fileIn,
  formOf,
  heardIn,
  jsonOf,
  spokenBytes,
  startStub,
  type StubAnswer,
  type StubRequest,
} from '../speech-http/stub-provider.fake';
import { sarvamHearing, sarvamSpeaking } from './index';

const apiKey = 'sarvam-stub';
const languages = ['hi-IN', 'mr-IN', 'en-IN'];

/** Enforces the documentation of `/text-to-speech` and `/speech-to-text`. */
async function sarvam(request: StubRequest): Promise<StubAnswer> {
  demand(request.headers['api-subscription-key'] === apiKey, 'invalid_api_key_error', 403);
  return request.path === '/text-to-speech' ? speak(jsonOf(request)) : hear(request);
}

function speak(body: Record<string, unknown>): StubAnswer {
  const { text, target_language_code: language, speaker, pace, speech_sample_rate: rate, model } = body;
  demand(typeof text === 'string' && text.length > 0 && text.length <= 2500, 'text must have 1 to 2500 characters');
  demand(languages.includes(String(language)), 'target_language_code is required');
  demand(
    model === 'bulbul:v3' && ['shubh', 'aditya', 'ritu', 'priya'].includes(String(speaker)),
    'the speaker is not of this model',
  );
  demand(typeof pace === 'number' && pace >= 0.5 && pace <= 2, 'pace must be from 0.5 to 2');
  demand(typeof rate === 'number' && [8000, 16_000, 22_050, 24_000].includes(rate), 'speech_sample_rate is not supported');
  const wav = wavFile(samplesFromBytes(spokenBytes(text, rate, pace)), rate);
  return { body: { request_id: 'r', audios: [Buffer.from(wav).toString('base64')] } };
}

async function hear(request: StubRequest): Promise<StubAnswer> {
  demand(request.path === '/speech-to-text', 'no such path', 404);
  const form = await formOf(request);
  demand(form.get('model') === 'saarika:v2.5', 'no such model');
  demand([...languages, 'unknown'].includes(String(form.get('language_code'))), 'language_code is required');
  const file = await fileIn(form);
  demand(file.length <= 30 * 32_000 + 44, 'Audio duration exceeds the maximum limit of 30 seconds');
  const transcript = await heardIn(file);
  const times = {
    words: transcript ? [transcript] : [],
    start_time_seconds: transcript ? [0.1] : [],
    end_time_seconds: transcript ? [0.4] : [],
  };
  const timestamps = form.get('with_timestamps') === 'true' ? times : null;
  return { body: { request_id: 'r', transcript, timestamps, language_code: 'mr-IN' } };
}

describe('Sarvam’s protocol', () => {
  let stub: Awaited<ReturnType<typeof startStub>>;
  beforeAll(async () => {
    stub = await startStub(sarvam);
  });
  afterAll(() => stub.close());

  describeTextToSpeech('Sarvam', () => sarvamSpeaking({ apiKey, baseUrl: stub.url }));
  describeSpeechToText(
    'Sarvam',
    () => sarvamHearing({ apiKey, baseUrl: stub.url }),
    () => ({ samples: new Int16Array(16_000).fill(4000), language: 'marathi', word: 'hello' }),
  );

  it('detects the language if none is given', async () => {
    async function* audio(): AsyncGenerator<Int16Array> {
      yield new Int16Array(8000).fill(4000);
    }
    expect(await sarvamHearing({ apiKey, baseUrl: stub.url }).transcribe({ audio, sampleRate: 8000 })).toEqual({
      text: 'hello',
      language: 'marathi',
    });
  });

  it('speaks the first sentences before it requests the last', async () => {
    const before = stub.requests.length;
    const text = 'दुकान सुबह नौ बजे खुलती है। '.repeat(60).trim();
    for await (const _block of sarvamSpeaking({ apiKey, baseUrl: stub.url }).speak({ text, language: 'hindi' })) break;
    expect(stub.requests.length - before).toBe(1);
  });

  it('refuses a malformed response', async () => {
    const odd = await startStub(() => ({ body: { audio: 'none' } }));
    const speech = sarvamSpeaking({ apiKey, baseUrl: odd.url }).speak({ text: 'नमस्ते', language: 'hindi' });
    await expect(speech.next()).rejects.toMatchObject({ provider: 'sarvam', retryable: false });
    await odd.close();
  });
});
