import { createHmac } from 'node:crypto';
import type { AnswerPlan, CallNotice, CarrierRequest, WebhookVerdict, WebhookReply, Webhooks, WireMessage } from '@parley/ports';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { emptyReply, genuine, headerOf, isSame, jsonBodyOf, jsonReply, publicUrlOf, refused } from '../carrier-http';

const signatureHeader = 'x-loopback-signature';
const states = ['queued', 'ringing', 'answered', 'completed', 'busy', 'declined', 'no-answer', 'failed', 'cancelled'] as const;

const State = z.object({
  event: z.literal('state'),
  state: z.enum(states),
  cause: z.string(),
  order: z.number(),
  durationSeconds: z.number().optional(),
});
const Event = z.discriminatedUnion('event', [
  z.object({ event: z.enum(['incoming', 'answering']) }),
  z.object({ event: z.literal('continuing'), transfer: z.enum(['answered', 'unanswered']) }),
  State,
]);
/** The network's notices and requests about a call. */
export type LoopbackEvent = z.output<typeof Event>;

const Call = z.object({ callId: z.string(), reference: z.string(), from: z.string(), to: z.string() });

/** The reply that the network expects: a plan as JSON. */
export const AnswerDocument = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('connect'), mediaUrl: z.string(), parameters: z.record(z.string(), z.string()).optional() }),
  z.object({ kind: z.literal('transfer'), to: z.string(), ringSeconds: z.number(), afterUrl: z.string() }),
  z.object({ kind: z.literal('refuse'), reason: z.enum(['busy', 'rejected']) }),
  z.object({ kind: z.literal('hang-up') }),
]);

function signature(secret: string, url: string, body: string): string {
  return createHmac('sha256', secret).update(`${url}\n${body}`).digest('hex');
}

/** A signed request of the network to an account. */
export function signedRequest(secret: string, url: string, body: string): { headers: Record<string, string>; body: string } {
  return { headers: { 'content-type': 'application/json', [signatureHeader]: signature(secret, url, body) }, body };
}

/** The webhooks of the simulated network, which signs the URL and the body. */
export class LoopbackWebhooks implements Webhooks {
  readonly acknowledged = emptyReply;

  constructor(
    private readonly secret: string,
    private readonly publicUrl: string,
  ) {}

  verify(request: CarrierRequest): WebhookVerdict {
    const given = headerOf(request, signatureHeader);
    if (given === undefined) return refused('the request is not signed');
    const expected = signature(this.secret, publicUrlOf(this.publicUrl, request), Buffer.from(request.body).toString('utf8'));
    return isSame(given, expected) ? genuine() : refused('the signature is not one of this address and secret');
  }

  /** A line is admitted by the token in its path. */
  verifyUpgrade(): WebhookVerdict {
    return genuine();
  }

  read(request: CarrierRequest): readonly CallNotice[] {
    const json = jsonBodyOf(request);
    const [call, event] = [Call.safeParse(json).data, Event.safeParse(json).data];
    if (!call || !event) return [];
    const { callId, reference, from, to } = call;
    if (event.event === 'continuing') return [{ kind: 'continuing', callId, transfer: event.transfer }];
    if (event.event !== 'state') return [{ kind: event.event, callId, from, to }];
    const { event: _, ...reported } = event;
    return [{ kind: 'state', callId, reference, ...reported }];
  }

  async answer(_callId: string, plan: AnswerPlan): Promise<WebhookReply> {
    return jsonReply(plan);
  }
}

/** The network's end of a media connection. */
export interface NetworkLine {
  send(message: WireMessage): void;
  close(): void;
}

/** The events of a media connection. */
interface LineListener {
  message(message: WireMessage): void;
  closed(): void;
}

/** Connects media; rejects if it is refused. */
export type ConnectMedia = (url: string, listener: LineListener) => Promise<NetworkLine>;

/** Sends a signed POST to one of our addresses. */
export type PostWebhook = (
  url: string,
  request: { readonly headers: Record<string, string>; readonly body: string },
) => Promise<WebhookAnswer>;

interface WebhookAnswer {
  readonly status: number;
  readonly body: string;
}

const timeoutMs = 10_000;

/** By WebSocket, as a real carrier does. */
export const connectByWebSocket: ConnectMedia = (url, listener) => {
  const { promise, resolve, reject } = Promise.withResolvers<NetworkLine>();
  const socket = new WebSocket(url, { handshakeTimeout: timeoutMs });
  socket.on('error', reject).on('close', () => listener.closed());
  socket.on('message', (data, isBinary) => {
    const bytes = Array.isArray(data) ? Buffer.concat(data) : Buffer.isBuffer(data) ? data : Buffer.from(data);
    listener.message(isBinary ? bytes : bytes.toString('utf8'));
  });
  socket.on('open', () =>
    resolve({
      send: (message) => socket.readyState === WebSocket.OPEN && socket.send(message),
      close: () => socket.close(1000),
    }),
  );
  return promise;
};

/** By HTTP, as a real carrier does. */
export const postByHttp: PostWebhook = async (url, { headers, body }) => {
  const signal = AbortSignal.timeout(timeoutMs);
  const response = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'error' });
  return { status: response.status, body: await response.text() };
};
