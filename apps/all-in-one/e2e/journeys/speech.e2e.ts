import { wavFile } from '@parley/audio';
import { get, sendForm } from '../platform/client';
import { demo } from '../platform/platform';
import { listen, machineHas, speak } from '../platform/sound';

const sentence = 'Please open the door and come into the house.';
const english = { text: sentence, language: 'english' };

// Without an optional program the test is skipped, and its title names what is missing.
const withEspeak = machineHas.espeak ? it : it.skip;
const withRecognizer = machineHas.recognizer ? it : it.skip;

const transcribe = (bytes: Uint8Array, fields: Record<string, string> = { language: 'english' }) =>
  sendForm('/api/v1/stt/external', demo().speechKey, {
    ...fields,
    audioFile: new File([Uint8Array.from(bytes)], 'question.bin'),
  });

describe('speech', () => {
  it('is a WAV with sound in English, whose header states its size', async () => {
    const { status, headers, bytes } = await speak(english);
    expect([status, headers.get('content-type'), headers.get('content-length')]).toEqual([
      200,
      'audio/wav',
      String(bytes.length),
    ]);
    expect(bytes.readUInt32LE(4)).toBe(bytes.length - 8);
    const { seconds, loudness } = await listen(bytes);
    expect(seconds).toBeGreaterThan(1.5);
    expect(loudness).toBeGreaterThan(0.02);
  });

  it('streams a long text while it is still being synthesized', async () => {
    const { status, headers, bytes } = await speak({ ...english, text: `${sentence} `.repeat(20) });
    expect([status, headers.get('content-length'), headers.get('transfer-encoding')]).toEqual([200, null, 'chunked']);
    expect((await listen(bytes)).seconds).toBeGreaterThan(30);
  });

  it.each([
    ['wav', 8000, 'audio/wav'],
    ['wav', 48_000, 'audio/wav'],
    ['pcm', 24_000, 'audio/pcm;rate=24000'],
    ['mulaw', 8000, 'audio/basic;rate=8000'],
    ['mp3', 44_100, 'audio/mpeg'],
  ] as const)('sends the same in %s at %i samples a second', async (format, sampleRate, contentType) => {
    const [plain, { headers, bytes }] = [await speak(english), await speak({ ...english, format, sampleRate })];
    expect(headers.get('content-type')).toBe(contentType);
    const encoding = format === 'mulaw' ? 'mulaw' : 'pcm16';
    const [expected, heard] = [await listen(plain.bytes), await listen(bytes, { sampleRate, encoding })];
    expect(Math.abs(heard.seconds - expected.seconds)).toBeLessThan(0.15);
    expect(heard.loudness / expected.loudness).toBeGreaterThan(0.8);
    expect(heard.loudness / expected.loudness).toBeLessThan(1.25);
  });

  withEspeak.each([
    ['hindi', 'नमस्ते, मैं आपकी क्या मदद कर सकती हूँ?'],
    ['marathi', 'नमस्कार, मी तुम्हाला कशी मदत करू?'],
  ])('speaks %s with the optional espeak-ng package', async (language, text) => {
    const { status, bytes } = await speak({ text, language });
    expect(status).toBe(200);
    expect((await listen(bytes)).loudness).toBeGreaterThan(0.02);
  });

  withRecognizer.each([
    ['wav', 16_000],
    ['pcm', 16_000],
    ['mp3', 44_100],
  ])('transcribes its own voice in %s', async (format, sampleRate) => {
    const { bytes } = await speak({ ...english, voiceID: 2, format, sampleRate });
    const { status, body } = await transcribe(bytes, {
      language: 'english',
      ...(format === 'pcm' && { sampleRate: String(sampleRate) }),
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      statusCode: 200,
      transcription: expect.stringContaining('the door and come into the house'),
      detectedLanguage: 'english',
    });
    expect(body.audioSeconds).toBeCloseTo((await listen(bytes, { sampleRate, encoding: 'pcm16' })).seconds, 1);
  });

  withRecognizer('hears nothing in silence, which is no error', async () => {
    const { status, body } = await transcribe(wavFile(new Int16Array(16_000), 16_000));
    expect([status, body]).toMatchObject([200, { statusCode: 200, transcription: '', audioSeconds: 1 }]);
  });

  withRecognizer.each([
    ['garbage', Buffer.from('no recording at all'), 415],
    ['half a WAV', Buffer.from(wavFile(new Int16Array(16_000).fill(900), 16_000)).subarray(0, 9000), 400],
  ])('refuses %s with the reason', async (_what, bytes, status) => {
    const reply = await transcribe(bytes);
    expect(reply).toMatchObject({ status, body: { statusCode: status, details: [{ field: 'audioFile' }] } });
  });

  it('says how to get an engine for a language without one', async () => {
    const reply = await transcribe(wavFile(new Int16Array(16_000), 16_000), { language: 'marathi' });
    expect(reply).toMatchObject({ status: 409, body: { code: 'PROVIDER_NOT_CONFIGURED' } });
    expect(reply.headers.get('retry-after')).toBeNull();
  });

  it('previews a voice, or names the setting it needs', async () => {
    const preview = (query: string) => get(`/api/v1/external/agent-config/demo-voice?${query}`, demo().workspaceKey);
    const reply = await preview('voiceID=3&voiceProviderID=1&speed=1.1');
    expect([reply.status, reply.headers.get('content-type'), String(reply.body).slice(0, 4)]).toEqual([200, 'audio/wav', 'RIFF']);
    expect(await preview('voiceID=41&voiceProviderID=5')).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining('ELEVENLABS_API_KEY') },
    });
    expect(await preview('voiceID=3&voiceProviderID=1&speed=1.3')).toMatchObject({
      status: 400,
      body: { message: 'speed must be a number from 0.7 to 1.2' },
    });
    expect(await preview('voiceID=999&voiceProviderID=1')).toMatchObject({ status: 404 });
  });
});
