import { once } from 'node:events';
import { IncomingMessage } from 'node:http';
import type { LookupFunction } from 'node:net';
import { bytesFromSamples } from '@parley/audio';
import {
  type HearingEvent,
  type HearingRequest,
  type LiveHearing,
  ProviderFailure,
  type SpokenLanguage,
  type TimedWord,
  type Voice,
} from '@parley/ports';
import { type AddressPolicy, variableText, guardedRequest } from '@parley/service-kit';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { accessOf, callProvider, notReached, type ProviderAccess, readJson } from '../provider-http';
import { EventQueue, HearingProvider, pcmBlocks, SpeakingProvider } from '../speech-http';
import { defineHearing, defineVoices, type KeyCheck } from '../vendor';

const provider = 'deepgram';
const languages = ['english'] as const;

const voices: readonly Voice[] = [
  { id: 'aura-2-thalia-en', name: 'Thalia', languages, gender: 'female' },
  { id: 'aura-2-andromeda-en', name: 'Andromeda', languages, gender: 'female' },
  { id: 'aura-2-apollo-en', name: 'Apollo', languages, gender: 'male' },
  { id: 'aura-2-arcas-en', name: 'Arcas', languages, gender: 'male' },
];

/** Speech by Deepgram's Aura: `POST /v1/speak`, raw samples streamed. The speed of speech cannot be set. */
export function deepgramSpeaking({ apiKey, baseUrl = deepgramBaseUrl, guard }: ProviderAccess): SpeakingProvider {
  return new SpeakingProvider({
    capabilities: {
      provider,
      languages,
      scripts: { english: ['Latin'] },
      sampleRates: [24_000, 8000, 16_000, 32_000, 48_000],
      streamingIn: false,
      streamingOut: true,
      wordTimings: false,
      pace: false,
      charactersMax: 5000,
      latency: 'live',
      grade: 'production',
    },
    voices,
    charactersPerCall: 2000,
    takesOwnVoices: false,
    async *speak({ text, voice, sampleRate, signal }) {
      const query = new URLSearchParams({
        model: voice,
        encoding: 'linear16',
        sample_rate: String(sampleRate),
        container: 'none',
      });
      const response = await callProvider({
        provider,
        url: `${baseUrl}/v1/speak?${query.toString()}`,
        headers: { authorization: `Token ${apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ text }),
        guard,
        signal,
      });
      yield* pcmBlocks(response, sampleRate, provider);
    },
  });
}

const deepgramCodes: Partial<Record<SpokenLanguage, string>> = { english: 'en', hindi: 'hi' };

const Word = z.object({ word: z.string(), punctuated_word: z.string().optional(), start: z.number(), end: z.number() });

/** A transcription hypothesis, the same for recordings and live results. */
const Alternative = z.object({ transcript: z.string(), words: z.array(Word).default([]) });

/** Converts Deepgram's seconds to milliseconds. */
function timedWords({ words }: z.output<typeof Alternative>): TimedWord[] {
  return words.map(({ word, punctuated_word, start, end }) => ({
    text: punctuated_word ?? word,
    startMs: start * 1000,
    endMs: end * 1000,
  }));
}

const model = 'nova-3';
const heardLanguages = ['english', 'hindi'] as const;

const Answer = z.object({ results: z.object({ channels: z.array(z.object({ alternatives: z.array(Alternative) })).min(1) }) });

/** Transcription by Deepgram: recordings by `POST /v1/listen`, live speech over its WebSocket. */
export function deepgramHearing({ apiKey, baseUrl = deepgramBaseUrl, guard }: ProviderAccess): HearingProvider {
  return new HearingProvider({
    capabilities: {
      provider,
      languages: heardLanguages,
      sampleRates: [16_000, 8000, 24_000, 48_000],
      live: true,
      wordTimings: true,
      languageDetection: false,
      secondsMax: 600,
      grade: 'production',
    },
    models: [{ id: model, name: 'Nova 3', languages: heardLanguages }],
    async hear({ wav, language = 'english', model: wanted, words, signal }) {
      const query = new URLSearchParams({ model: wanted, language: deepgramCodes[language] ?? 'en', smart_format: 'true' });
      const headers = { authorization: `Token ${apiKey}`, 'content-type': 'audio/wav' };
      const response = await callProvider({
        provider,
        url: `${baseUrl}/v1/listen?${query.toString()}`,
        headers,
        body: wav,
        guard,
        signal,
      });
      const { results } = await readJson(response, Answer, provider);
      const best = results.channels[0]?.alternatives[0] ?? { transcript: '', words: [] };
      return { text: best.transcript, language, ...(words && { words: timedWords(best) }) };
    },
    listen: (request) => listenLive({ apiKey, baseUrl, guard }, { model, ...request }),
  });
}

const openMs = 5000;
// Deepgram closes a connection on which it received nothing for ten seconds.
const keepAliveMs = 4000;
const bufferedBytesMax = 1024 * 1024;

const Message = z.union([
  z.object({
    type: z.literal('Results'),
    is_final: z.boolean(),
    speech_final: z.boolean().default(false),
    channel: z.object({ alternatives: z.array(Alternative) }),
  }),
  z.object({ type: z.enum(['SpeechStarted', 'UtteranceEnd', 'Metadata']) }),
]);

/** Opens a live connection to Deepgram. */
async function listenLive(
  { apiKey, baseUrl, guard }: ProviderAccess & { readonly baseUrl: string },
  request: HearingRequest & { model: string },
): Promise<LiveHearing> {
  const { sampleRate, language = 'english', signal } = request;
  const code = deepgramCodes[language];
  if (!code) throw new ProviderFailure(provider, `does not hear ${language}`, { retryable: false });
  const query = new URLSearchParams({
    model: request.model,
    language: code,
    encoding: 'linear16',
    sample_rate: String(sampleRate),
    channels: '1',
    interim_results: 'true',
    smart_format: 'true',
    vad_events: 'true',
    endpointing: '300',
  });
  const url = new URL(`${baseUrl}/v1/listen?${query.toString()}`);
  const socket = new WebSocket(url.href.replace(/^http/, 'ws'), {
    headers: { authorization: `Token ${apiKey}` },
    handshakeTimeout: openMs,
    ...(guard && { lookup: checkedLookup(guard.policy, url) }),
  });
  await opened(socket, signal);
  return new DeepgramLine(socket, request);
}

function checkedLookup(policy: AddressPolicy, url: URL): LookupFunction {
  try {
    return guardedRequest(policy, url).lookup;
  } catch (cause) {
    throw notReached(provider, cause);
  }
}

async function opened(socket: WebSocket, signal: AbortSignal | undefined): Promise<void> {
  const refused = once(socket, 'unexpected-response').then(([, response]: unknown[]) => {
    socket.terminate();
    const status = response instanceof IncomingMessage ? (response.statusCode ?? 0) : 0;
    throw new ProviderFailure(provider, `refused the line with ${status}`, { retryable: status === 429 || status >= 500 });
  });
  refused.catch(() => undefined);
  try {
    await Promise.race([once(socket, 'open', { signal }), refused]);
  } catch (cause) {
    socket.on('error', () => undefined).terminate();
    signal?.throwIfAborted();
    if (cause instanceof ProviderFailure) throw cause;
    throw notReached(provider, cause);
  }
}

class DeepgramLine implements LiveHearing {
  private readonly queue = new EventQueue<HearingEvent>();
  private readonly keepAlive = setInterval(() => this.say('KeepAlive'), keepAliveMs);
  private isFinishing = false;

  constructor(
    private readonly socket: WebSocket,
    private readonly request: HearingRequest,
  ) {
    socket.on('message', (data, isBinary) => {
      if (!isBinary && data instanceof Buffer) this.hear(data.toString('utf8'));
    });
    socket.on('error', (cause) => this.end(new ProviderFailure(provider, 'lost the line', { retryable: true, cause })));
    socket.on('close', (code) =>
      this.end(this.isFinishing || code === 1000 ? undefined : this.lost(`closed the line with ${code}`)),
    );
    request.signal?.addEventListener('abort', () => this.close(), { once: true });
  }

  get events(): AsyncIterable<HearingEvent> {
    return this.queue;
  }

  push(samples: Int16Array): void {
    if (this.socket.readyState !== WebSocket.OPEN || this.isFinishing) return;
    if (this.socket.bufferedAmount > bufferedBytesMax) {
      this.end(this.lost('does not keep up'));
      this.socket.terminate();
      return;
    }
    // Copied, since the caller may reuse the frame before the socket has sent it.
    this.socket.send(Buffer.from(bytesFromSamples(samples)));
  }

  finish(): void {
    this.isFinishing = true;
    this.say('CloseStream');
  }

  close(): void {
    this.isFinishing = true;
    this.socket.terminate();
    this.end(undefined);
  }

  private hear(text: string): void {
    const message = Message.safeParse(parseJson(text)).data;
    if (!message) return;
    if (message.type === 'SpeechStarted') this.queue.push({ kind: 'speech-started' });
    if (message.type === 'UtteranceEnd') this.queue.push({ kind: 'speech-ended' });
    if (message.type !== 'Results') return;
    const [best] = message.channel.alternatives;
    if (best?.transcript) this.queue.push(this.eventOf(best, message.is_final));
    if (message.speech_final) this.queue.push({ kind: 'speech-ended' });
  }

  private eventOf(best: z.output<typeof Alternative>, isFinal: boolean): HearingEvent {
    if (!isFinal) return { kind: 'partial', text: best.transcript };
    const { language = 'english', words } = this.request;
    return { kind: 'final', text: best.transcript, language, ...(words && { words: timedWords(best) }) };
  }

  private say(type: 'KeepAlive' | 'CloseStream'): void {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify({ type }));
  }

  private end(failure: ProviderFailure | undefined): void {
    clearInterval(this.keepAlive);
    this.queue.end(failure);
  }

  private lost(message: string): ProviderFailure {
    return new ProviderFailure(provider, message, { retryable: true });
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const deepgramBaseUrl = 'https://api.deepgram.com';

const variables = {
  DEEPGRAM_API_KEY: variableText().optional().meta({
    description: 'The key of Deepgram: live transcription of English and Hindi, speech in English.',
    example: '…',
    secret: true,
  }),
};

const keyCheck: KeyCheck = {
  baseUrl: 'https://api.deepgram.com',
  path: '/v1/projects',
  method: 'GET',
  headers: (key) => ({ authorization: `Token ${key}` }),
};

/** Speech by Deepgram. */
export const deepgram = {
  voices: defineVoices({
    id: 4,
    name: 'deepgram',
    isLocal: false,
    settings: ['DEEPGRAM_API_KEY'],
    languages: ['english'],
    grade: 'production',
    latency: 'live',
    sampleRates: [24_000, 8000, 16_000, 32_000, 48_000],
    voices: [
      { id: 31, voice: 'aura-2-thalia-en', gender: 'female', languages: ['english'] },
      { id: 32, voice: 'aura-2-andromeda-en', gender: 'female', languages: ['english'] },
      { id: 33, voice: 'aura-2-apollo-en', gender: 'male', languages: ['english'] },
      { id: 34, voice: 'aura-2-arcas-en', gender: 'male', languages: ['english'] },
    ],
    variables,
    keyCheck,
    open: async ({ config, own }) => deepgramSpeaking(accessOf(own, config.DEEPGRAM_API_KEY)),
  }),
  hearing: defineHearing({
    id: 3,
    name: 'deepgram',
    isLocal: false,
    settings: ['DEEPGRAM_API_KEY'],
    languages: ['english', 'hindi'],
    grade: 'production',
    isLive: true,
    wordTimings: true,
    models: [{ id: 21, model: 'nova-3', languages: ['english', 'hindi'] }],
    variables,
    keyCheck,
    open: async ({ config, own }) => deepgramHearing(accessOf(own, config.DEEPGRAM_API_KEY)),
  }),
};
