import { describeTextToSpeech } from '@parley/ports/suites';
import { demand, jsonOf, spokenBytes, startStub, type StubAnswer, type StubRequest } from '../speech-http/stub-provider.fake';
import { elevenLabsSpeaking } from '.';

const apiKey = 'xi-stub';
const known = ['21m00Tcm4TlvDq8ikWAM', 'EXAVITQu4vr4xnSDxMaL', 'pNInz6obpgDQGcFmaJgB', 'cloned-voice'];

/** Enforces the documentation of `/v1/text-to-speech/{voice}/stream`. */
function elevenLabs(request: StubRequest): StubAnswer {
  demand(request.headers['xi-api-key'] === apiKey, 'Invalid API key', 401);
  const [, voice] = /^\/v1\/text-to-speech\/([^/]+)\/stream$/.exec(request.path) ?? [];
  demand(voice && known.includes(voice), 'voice_not_found', 404);
  const [, rate] = /^pcm_(8000|16000|22050|24000|44100|48000)$/.exec(request.query.get('output_format') ?? '') ?? [];
  demand(rate, 'output_format is not supported', 422);
  const { text, model_id: model, language_code: language, voice_settings: settings } = jsonOf(request);
  demand(typeof text === 'string' && text.length > 0 && text.length <= 40_000, 'text must have 1 to 40000 characters', 422);
  demand(model === 'eleven_flash_v2_5' && (language === 'en' || language === 'hi'), 'the model does not speak this', 400);
  const speed = Number((settings as { speed: unknown }).speed);
  demand(speed >= 0.7 && speed <= 1.2, 'speed must be from 0.7 to 1.2', 422);
  return { body: spokenBytes(text, Number(rate), speed) };
}

describe('ElevenLabs’ protocol', () => {
  let stub: Awaited<ReturnType<typeof startStub>>;
  beforeAll(async () => {
    stub = await startStub(elevenLabs);
  });
  afterAll(() => stub.close());

  describeTextToSpeech('ElevenLabs', () => elevenLabsSpeaking({ apiKey, baseUrl: stub.url }));

  it('speaks with a customer’s own voice', async () => {
    const speech = elevenLabsSpeaking({ apiKey, baseUrl: stub.url }).speak({
      text: 'hello',
      language: 'english',
      voice: 'cloned-voice',
    });
    expect((await speech.next()).done).toBe(false);
  });

  it.each([
    [8000, 16_000],
    [20_000, 22_050],
    [48_000, 44_100],
  ])('uses the rate nearest to %i samples a second', async (wish, rate) => {
    const speech = elevenLabsSpeaking({ apiKey, baseUrl: stub.url }).speak({
      text: 'hello',
      language: 'english',
      sampleRate: wish,
    });
    expect((await speech.next()).value).toMatchObject({ sampleRate: rate });
  });
});
