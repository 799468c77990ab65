import type { Voice } from '@parley/ports';
import { callProvider, pcmBlocks, SpeakingProvider } from '../speech-http';
import { azureBaseUrl, azureLanguages, azureLocales, type AzureSpeechOptions } from './azure-speech-options';

const provider = 'azure';

const voices: readonly Voice[] = [
  { id: 'en-IN-NeerjaNeural', name: 'Neerja', languages: ['english'], gender: 'female' },
  { id: 'en-IN-PrabhatNeural', name: 'Prabhat', languages: ['english'], gender: 'male' },
  { id: 'hi-IN-SwaraNeural', name: 'Swara', languages: ['hindi'], gender: 'female' },
  { id: 'hi-IN-MadhurNeural', name: 'Madhur', languages: ['hindi'], gender: 'male' },
  { id: 'mr-IN-AarohiNeural', name: 'Aarohi', languages: ['marathi'], gender: 'female' },
  { id: 'mr-IN-ManoharNeural', name: 'Manohar', languages: ['marathi'], gender: 'male' },
];

const outputFormats: Record<number, string> = {
  8000: 'raw-8khz-16bit-mono-pcm',
  16_000: 'raw-16khz-16bit-mono-pcm',
  24_000: 'raw-24khz-16bit-mono-pcm',
  48_000: 'raw-48khz-16bit-mono-pcm',
};

/** Speech by Azure: SSML in, raw samples out, streamed. */
export function azureSpeaking(options: AzureSpeechOptions): SpeakingProvider {
  const { apiKey, guard } = options;
  const url = `${azureBaseUrl(options, 'tts')}/cognitiveservices/v1`;
  return new SpeakingProvider({
    capabilities: {
      provider,
      languages: azureLanguages,
      sampleRates: [24_000, 8000, 16_000, 48_000],
      streamingIn: false,
      streamingOut: true,
      wordTimings: false,
      pace: true,
      charactersMax: 5000,
      latency: 'live',
      grade: 'production',
    },
    voices,
    charactersPerCall: 3000,
    takesOwnVoices: false,
    async *speak({ text, language, voice, pace, sampleRate, signal }) {
      const response = await callProvider({
        provider,
        url,
        headers: {
          'ocp-apim-subscription-key': apiKey,
          'content-type': 'application/ssml+xml',
          'x-microsoft-outputformat': outputFormats[sampleRate] ?? '',
          'user-agent': 'parley',
        },
        body: ssml({ text, locale: azureLocales[language], voice, pace }),
        guard,
        signal,
      });
      yield* pcmBlocks(response, sampleRate, provider);
    },
  });
}

function ssml({ text, locale, voice, pace }: { text: string; locale: string; voice: string; pace: number }): string {
  const rate = `${pace >= 1 ? '+' : ''}${Math.round((pace - 1) * 100)}%`;
  return (
    `<speak version="1.0" xmlns="http://www.w3.org/2001/10/synthesis" xml:lang="${locale}">` +
    `<voice name="${escaped(voice)}"><prosody rate="${rate}">${escaped(text)}</prosody></voice></speak>`
  );
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' };

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => entities[sign] ?? sign);
}
