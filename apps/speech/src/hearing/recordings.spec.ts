import { Readable } from 'node:stream';
import { wavFile } from '@parley/audio';
import { followTranscription, measureRecording, transcribeRecording } from '@parley/contracts';
import { runInCall, type TransportBus } from '@parley/messaging';
import { ProviderFailure, ScriptedFileStore, ScriptedSpeechToText } from '@parley/ports';
import { atRest } from '@parley/testing';
import { createMp3Encoder } from 'wasm-media-encoders';
import type { z } from 'zod';
import { startSpeech } from '../testing/running-speech';

type Wish = z.input<typeof transcribeRecording.request>;

const caller = { principal: { kind: 'ext', keyId: 'spec', orgId: 1 } } as const;
const callOf = () => ({ ...caller, requestId: 'spec', deadlineAtMs: Date.now() + 60_000, signal: new AbortController().signal });
const speechOf = (seconds: number): Int16Array => new Int16Array(16_000 * seconds).fill(5000);

describe('transcribing recordings', () => {
  let engine: ScriptedSpeechToText;
  let files: ScriptedFileStore;
  let bus: TransportBus;
  let stop: () => Promise<void>;

  beforeEach(async () => {
    engine = new ScriptedSpeechToText(['good morning', 'good night'], { secondsMax: 10, languages: ['english'] });
    const absent = new ScriptedSpeechToText([], {
      provider: 'absent',
      languages: ['marathi'],
      unavailable: 'is not installed: run the set-up',
    });
    files = new ScriptedFileStore();
    ({ bus, stop } = await startSpeech({ speaking: [], hearing: [engine, absent], files }));
  });
  afterEach(() => stop());

  async function transcribe(bytes: Uint8Array, wish: Partial<Wish> = {}) {
    async function* body(): AsyncGenerator<Uint8Array> {
      yield bytes;
    }
    await files.put('uploads/1/a.wav', body(), { bytesMax: 10_000_000 });
    const audioFile = { fileKey: 'uploads/1/a.wav', fileName: 'a.wav', size: bytes.length, contentType: 'audio/wav' };
    return bus.ask(transcribeRecording, { audioFile, language: 'english', ...wish }, caller);
  }

  it('transcribes a recording and reports its real length, not the hinted one', async () => {
    const heard = await transcribe(wavFile(speechOf(2), 16_000), { durationSeconds: 600 });
    expect(heard).toMatchObject({ transcription: 'good morning', detectedLanguage: 'english', audioSeconds: 2 });
  });

  it('measures any recording as it will be charged, without transcribing it', async () => {
    const mp3 = await createMp3Encoder();
    mp3.configure({ channels: 1, sampleRate: 16_000, bitrate: 32 });
    const sound = Float32Array.from(speechOf(7), (sample) => sample / 32_768);
    const bytes = Buffer.concat([Buffer.from(mp3.encode([sound])), Buffer.from(mp3.finalize())]);
    for (const each of [bytes, wavFile(speechOf(3), 8000)]) {
      const { audioSeconds } = await transcribe(each);
      const heard = engine.heardSeconds.length;
      const audioFile = { fileKey: 'uploads/1/a.wav', fileName: 'a.wav', size: each.length, contentType: 'audio/wav' };
      expect(await bus.ask(measureRecording, { audioFile }, caller)).toEqual({ audioSeconds });
      expect(engine.heardSeconds).toHaveLength(heard);
    }
    const theirs = { fileKey: 'uploads/2/a.wav', fileName: 'a.wav', size: 1, contentType: 'audio/wav' };
    await expect(bus.ask(measureRecording, { audioFile: theirs }, caller)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('transcribes a recording that is longer than the engine accepts at once', async () => {
    const heard = await transcribe(wavFile(speechOf(15), 16_000));
    expect(heard).toMatchObject({ transcription: 'good morning good night', audioSeconds: 15 });
    expect(engine.heardSeconds).toHaveLength(2);
  });

  it('says after each piece how much is transcribed, and leaves the rest undone when nobody follows any more', async () => {
    await transcribe(wavFile(speechOf(35), 16_000));
    const audioFile = { fileKey: 'uploads/1/a.wav', fileName: 'a.wav', size: 1, contentType: 'audio/wav' };
    const follow = () => runInCall(callOf(), () => bus.stream(followTranscription, { audioFile, language: 'english' }));
    const steps = [];
    for await (const step of follow()) steps.push(step);
    const pieces = engine.heardSeconds.slice(steps.length * -1 + 1);
    let soFar = 0;
    const heard = pieces.map((seconds) => ({ type: 'heard', audioSeconds: expect.closeTo((soFar += seconds), 2) }));
    expect(pieces.length).toBeGreaterThanOrEqual(4);
    expect(steps).toEqual([...heard, expect.objectContaining({ type: 'done', audioSeconds: 35 })]);

    const before = engine.heardSeconds.length;
    const asked = jest.spyOn(engine, 'transcribe');
    const left = follow()[Symbol.asyncIterator]();
    expect(await left.next()).toMatchObject({ value: { type: 'heard' } });
    // The next piece waits until its follower wants it: what is begun then would be work that nobody pays.
    expect(await atRest('the pieces begun', () => asked.mock.calls.length)).toBe(1);
    await left.return?.();
    await stop();
    expect([asked.mock.calls.length, engine.heardSeconds.length]).toEqual([1, before + 1]);
  });

  it('answers silence with an empty transcription', async () => {
    expect(await transcribe(wavFile(new Int16Array(16_000), 16_000))).toMatchObject({ transcription: '', audioSeconds: 1 });
  });

  it('accepts raw PCM under another type only with its rate', async () => {
    const raw = wavFile(speechOf(1), 16_000).subarray(44);
    await expect(transcribe(raw)).rejects.toMatchObject({ code: 'UNSUPPORTED_MEDIA_TYPE' });
    expect(await transcribe(raw, { sampleRate: 8000 })).toMatchObject({ audioSeconds: 2 });
  });

  it.each([
    ['a media type', { fileName: 'a', contentType: 'audio/pcm' }],
    ['an ending', { fileName: 'a.pcm', contentType: 'application/octet-stream' }],
  ])('accepts PCM declared by %s at 16,000 Hz', async (_what, named) => {
    const raw = wavFile(speechOf(1), 16_000).subarray(44);
    const audioFile = { fileKey: 'uploads/1/a.wav', size: raw.length, ...named };
    expect(await transcribe(raw, { audioFile })).toMatchObject({ transcription: 'good morning', audioSeconds: 1 });
  });

  it.each([
    ['text', Buffer.from('this is not a recording at all'), 'UNSUPPORTED_MEDIA_TYPE'],
    ['an empty file', Buffer.alloc(0), 'VALIDATION_FAILED'],
    ['an MP3 of garbage', Buffer.concat([Buffer.from('ID3'), Buffer.alloc(5000, 1)]), 'VALIDATION_FAILED'],
    ['half a WAV', Buffer.from(wavFile(speechOf(1), 16_000)).subarray(0, 10_000), 'VALIDATION_FAILED'],
  ])('refuses %s and says why', async (_what, bytes, code) => {
    await expect(transcribe(bytes)).rejects.toMatchObject({ code, details: [{ field: 'audioFile' }] });
  });

  it('refuses an MP3 cut within a frame, and accepts one cut between frames', async () => {
    const encoder = await createMp3Encoder();
    encoder.configure({ channels: 1, sampleRate: 16_000, bitrate: 64 });
    const whole = Buffer.concat([Buffer.from(encoder.encode([new Float32Array(32_000).fill(0.2)])), encoder.finalize()]);
    // At 64 kbit/s and 16 kHz, every frame of 576 samples takes 288 bytes.
    expect(await transcribe(whole.subarray(0, 288 * 20))).toMatchObject({ transcription: 'good morning' });
    await expect(transcribe(whole.subarray(0, 288 * 20 + 100))).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      details: [{ field: 'audioFile', message: 'The MP3 file ends in the middle of a frame.' }],
    });
  });

  it('uses the preferred models in order, skipping those that do not support the language', async () => {
    const pocketsphinx = new ScriptedSpeechToText(['by pocketsphinx'], { provider: 'pocketsphinx', languages: ['english'] });
    const openai = new ScriptedSpeechToText(['by openai'], { provider: 'openai', languages: ['english'] });
    const harness = await startSpeech({ speaking: [], hearing: [openai, pocketsphinx], files });
    ({ bus } = harness);
    const sound = wavFile(speechOf(1), 16_000);
    expect(await transcribe(sound, { preferredTranscribeIDs: [21, 1, 11] })).toMatchObject({ transcription: 'by pocketsphinx' });
    pocketsphinx.failNext(new ProviderFailure('pocketsphinx', 'is down', { retryable: false }));
    expect(await transcribe(sound, { preferredTranscribeIDs: [1, 11] })).toMatchObject({ transcription: 'by openai' });
    await harness.stop();
  });

  it('skips a model that is not on this machine, and answers 409 where none of its language is', async () => {
    const installed = new Set(['base']);
    const whyNoModel = (id: string) => (installed.has(id) ? undefined : `lacks ${id}: add it`);
    const moonshine = new ScriptedSpeechToText(['by moonshine', 'by moonshine'], {
      provider: 'moonshine',
      languages: ['english'],
      whyNoModel,
    });
    const asked: (string | undefined)[] = [];
    const transcribeHere = moonshine.transcribe.bind(moonshine);
    jest.spyOn(moonshine, 'transcribe').mockImplementation(async (request) => {
      asked.push(request.model);
      return transcribeHere(request);
    });
    const harness = await startSpeech({ speaking: [], hearing: [moonshine], files });
    ({ bus } = harness);
    const sound = wavFile(speechOf(1), 16_000);
    for (const preferredTranscribeIDs of [[81], [82]]) {
      expect(await transcribe(sound, { preferredTranscribeIDs })).toMatchObject({ transcription: 'by moonshine' });
    }
    expect(asked).toEqual([undefined, 'base']);
    installed.clear();
    const refusal = { code: 'PROVIDER_NOT_CONFIGURED', message: expect.stringContaining('moonshine lacks tiny: add it') };
    await expect(transcribe(sound, { preferredTranscribeIDs: [82] })).rejects.toMatchObject(refusal);
    await harness.stop();
  });

  it('answers 409, which is not retried, and names the way to get an engine if there is none', async () => {
    await expect(transcribe(wavFile(speechOf(1), 16_000), { language: 'marathi' })).rejects.toMatchObject({
      code: 'PROVIDER_NOT_CONFIGURED',
      retryAfterSeconds: undefined,
      message: expect.stringContaining('absent is not installed: run the set-up'),
    });
  });

  it('answers 503 when the engine fails and there is no fallback', async () => {
    engine.failNext(new ProviderFailure('scripted', 'secret internal address', { retryable: false }));
    const failure: unknown = await transcribe(wavFile(speechOf(1), 16_000)).catch((reason: unknown) => reason);
    expect(failure).toMatchObject({ code: 'SPEECH_PROVIDER_UNAVAILABLE', retryAfterSeconds: 5 });
    expect(String(failure)).not.toContain('secret');
  });

  it('opens no recording of another organization', async () => {
    await files.put('uploads/2/theirs.wav', Readable.from([Buffer.from(wavFile(speechOf(1), 16_000))]), { bytesMax: 10_000_000 });
    const audioFile = { fileKey: 'uploads/2/theirs.wav', fileName: 'a.wav', size: 1, contentType: 'audio/wav' };
    await expect(bus.ask(transcribeRecording, { audioFile, language: 'english' }, caller)).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    expect(engine.heardSeconds).toEqual([]);
  });

  it('does not blame its sender for a recording that the gateway stored elsewhere', async () => {
    const audioFile = { fileKey: 'uploads/1/gone.wav', fileName: 'a.wav', size: 1, contentType: 'audio/wav' };
    await expect(bus.ask(transcribeRecording, { audioFile, language: 'english' }, caller)).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
    });
  });
});
