import { describeSpeechToText, describeTextToSpeech } from '@parley/ports/suites';
import { demand, heardIn, spokenBytes, startStub, type StubAnswer, type StubRequest } from '../speech-http/stub-provider.fake';
import { azureBaseUrl, azureHearing, azureSpeaking } from './index';

const apiKey = 'azure-stub';
const envelope =
  /^<speak version="1.0" xmlns="http:\/\/www.w3.org\/2001\/10\/synthesis" xml:lang="(..)-IN"><voice name="((..)-IN-\w+Neural)"><prosody rate="([+-]\d+)%">([^<>]+)<\/prosody><\/voice><\/speak>$/;
const formats: Record<string, number> = {
  'raw-8khz-16bit-mono-pcm': 8000,
  'raw-16khz-16bit-mono-pcm': 16_000,
  'raw-24khz-16bit-mono-pcm': 24_000,
  'raw-48khz-16bit-mono-pcm': 48_000,
};

/** Enforces the documentation of both REST interfaces. */
async function azure(request: StubRequest): Promise<StubAnswer> {
  demand(request.headers['ocp-apim-subscription-key'] === apiKey, 'Access denied', 401);
  return request.path === '/tts/cognitiveservices/v1' ? speak(request) : hear(request);
}

function speak({ headers, body }: StubRequest): StubAnswer {
  demand(headers['content-type'] === 'application/ssml+xml', 'content-type must be application/ssml+xml', 415);
  demand(headers['user-agent'] && headers['user-agent'].length < 255, 'user-agent is required');
  const rate = formats[String(headers['x-microsoft-outputformat'])];
  demand(rate, 'x-microsoft-outputformat is not supported');
  const [, locale, , voiceLocale, pace, text = ''] = envelope.exec(body.toString('utf8')) ?? [];
  demand(text, 'the SSML is not valid');
  demand(locale === voiceLocale, 'the voice does not speak this locale');
  return { body: spokenBytes(text, rate, 1 + Number(pace) / 100) };
}

async function hear({ path, query, headers, body }: StubRequest): Promise<StubAnswer> {
  demand(path === '/stt/speech/recognition/conversation/cognitiveservices/v1', 'no such path', 404);
  demand(/^(en|hi|mr)-IN$/.test(query.get('language') ?? ''), 'language is required');
  demand(headers['content-type'] === 'audio/wav; codecs=audio/pcm; samplerate=16000', 'unsupported sound', 415);
  demand(body.length <= 60 * 32_000 + 44, 'more than 60 seconds', 413);
  const text = await heardIn(body);
  return {
    body: text
      ? { RecognitionStatus: 'Success', DisplayText: text, Offset: 0, Duration: 1 }
      : { RecognitionStatus: 'InitialSilenceTimeout', Offset: 0, Duration: 0 },
  };
}

describe('Azure’s protocol', () => {
  let stub: Awaited<ReturnType<typeof startStub>>;
  beforeAll(async () => {
    stub = await startStub(azure);
  });
  afterAll(() => stub.close());

  const options = () => ({ apiKey, region: 'centralindia', baseUrl: stub.url });

  describeTextToSpeech('Azure', () => azureSpeaking(options()));
  describeSpeechToText(
    'Azure',
    () => azureHearing(options()),
    () => ({ samples: new Int16Array(16_000).fill(4000), language: 'marathi', word: 'hello' }),
  );

  it('does not let text break out of its place in the SSML', async () => {
    const text = `Tom & Jerry's </prosody><break time="9s"/> "end"`;
    for await (const _block of azureSpeaking(options()).speak({ text, language: 'english' }));
    const [, , , , , spoken] = envelope.exec(stub.requests.at(-1)?.body.toString('utf8') ?? '') ?? [];
    expect(spoken).toContain('Tom and Jerry&apos;s &quot;end&quot;');
  });

  it('derives its address from the region, in either form', () => {
    const region = { apiKey, region: 'centralindia' };
    const address = { apiKey, region: '', baseUrl: 'https://centralindia.api.cognitive.microsoft.com' };
    for (const options of [region, address]) {
      expect(azureBaseUrl(options, 'tts')).toBe('https://centralindia.tts.speech.microsoft.com');
    }
  });
});
