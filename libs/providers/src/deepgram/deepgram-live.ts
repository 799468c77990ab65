import { once } from 'node:events';
import type { LookupFunction } from 'node:net';
import { bytesFromSamples } from '@parley/audio';
import { type HearingEvent, type HearingRequest, type LiveHearing, ProviderFailure } from '@parley/ports';
import { type Door, wayThrough } from '@parley/service-kit';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { notReached, type ProviderAccess } from '../speech-http';
import { EventQueue } from '../event-queue';
import { Alternative, deepgramCodes, timedWords } from './deepgram-words';

const provider = 'deepgram';
const openMs = 5000;
// Deepgram closes a line on which nothing came for ten seconds.
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

/** Opens Deepgram's live line. */
export async function listenLive(
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
  const url = new URL(`${baseUrl}/v1/listen?${query}`);
  const socket = new WebSocket(url.href.replace(/^http/, 'ws'), {
    headers: { authorization: `Token ${apiKey}` },
    handshakeTimeout: openMs,
    ...(guard && { lookup: checkedLookup(guard.door, url) }),
  });
  await opened(socket, signal);
  return new DeepgramLine(socket, request);
}

function checkedLookup(door: Door, url: URL): LookupFunction {
  try {
    return wayThrough(door, url).lookup;
  } catch (cause) {
    throw notReached(provider, cause);
  }
}

async function opened(socket: WebSocket, signal: AbortSignal | undefined): Promise<void> {
  const refused = once(socket, 'unexpected-response').then(([, response]) => {
    socket.terminate();
    const status = Number(response.statusCode);
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
      if (!isBinary) this.hear(String(data));
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
    // The caller may write its frame anew while the socket still holds it.
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
