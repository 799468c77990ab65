import {
  openSpeechToText,
  openTextToSpeech,
  type SpeechProviderConfig,
  stableKey,
  transcribeProviders,
  voiceOf,
  voiceProviders,
} from './index';

const config: SpeechProviderConfig = { POCKETSPHINX_DIR: '/nowhere', PARLEY_MODELS: '/nowhere' };

describe('the speech catalogue', () => {
  it.each(voiceProviders)(
    'says of $name what the engine says of itself',
    async ({ name, languages, voices, sampleRates, latency, grade }) => {
      const engine = await openTextToSpeech(name, config);
      expect(engine.capabilities).toMatchObject({ provider: name, languages, sampleRates, latency, grade, streamingOut: true });
      const listed = voices.map(({ voice, gender, languages: its }) => ({ id: voice, gender, languages: its }));
      const spoken = (await engine.voices()).map(({ id, gender, languages: its }) => ({ id, gender, languages: its }));
      expect(listed.sort(byId)).toEqual(spoken.sort(byId));
      await engine.close();
    },
  );

  it.each(transcribeProviders)(
    'says of $name what the engine says of itself',
    async ({ name, languages, models, isLive, wordTimings, grade }) => {
      const engine = await openSpeechToText(name, config);
      expect(engine.capabilities).toMatchObject({ provider: name, languages, live: isLive, wordTimings, grade });
      expect((await engine.models()).map(({ id }) => id).sort()).toEqual(models.map(({ model }) => model).sort());
      await engine.close();
    },
  );

  it.each(voiceProviders.filter(({ isLocal }) => !isLocal))(
    'refuses an address in our own network for an organization’s key of $name',
    async ({ name, languages }) => {
      const own = { key: 'own', baseURL: 'https://127.0.0.1:1/', model: null };
      const engine = await openTextToSpeech(name, config, own);
      const [language] = languages;
      const speaking = engine.speak({ text: 'hello', language })[Symbol.asyncIterator]();
      await expect(speaking.next()).rejects.toMatchObject({
        retryable: false,
        message: expect.stringContaining('must be https and public'),
      });
    },
  );

  it.each(transcribeProviders.filter(({ isLocal }) => !isLocal))(
    'refuses one for hearing by $name, too',
    async ({ name, languages: [language] }) => {
      const engine = await openSpeechToText(name, config, { key: 'own', baseURL: 'https://localhost', model: null });
      async function* audio(): AsyncGenerator<Int16Array> {
        yield new Int16Array(1600);
      }
      const refusal = { retryable: false, message: expect.stringContaining('must be https and public') };
      await expect(engine.transcribe({ audio, sampleRate: 16_000, language })).rejects.toMatchObject(refusal);
      if (engine.listen) await expect(engine.listen({ sampleRate: 16_000, language })).rejects.toMatchObject(refusal);
    },
  );

  it('has no duplicate ids', () => {
    const ids: number[][] = [voiceProviders, transcribeProviders].map((providers) => providers.map(({ id }) => id));
    ids.push(
      voiceProviders.flatMap(({ voices }) => voices.map(({ id }) => id)),
      transcribeProviders.flatMap(({ models }) => models.map(({ id }) => id)),
    );
    const duplicates = ids.map((list) => list.filter((id, place) => list.indexOf(id) !== place));
    expect(duplicates).toEqual([[], [], [], []]);
  });

  it('finds a voice by its public id', () => {
    expect(voiceOf(3)).toMatchObject({ provider: 'flite', voice: 'slt' });
    expect(voiceOf(999)).toBeUndefined();
  });

  it('always derives the same key from a name', () => {
    expect(stableKey('voice/flite/slt')).toBe(stableKey('voice/flite/slt'));
    expect(stableKey('voice/flite/slt')).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/);
  });
});

function byId(a: { id: string }, b: { id: string }): number {
  return a.id.localeCompare(b.id);
}
