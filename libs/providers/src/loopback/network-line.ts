import type { WireMessage } from '@parley/ports';
import { WebSocket } from 'ws';

/** The network's end of a media connection. */
export interface NetworkLine {
  send(message: WireMessage): void;
  close(): void;
}

/** What comes of a media connection. */
export interface LineListener {
  message(message: WireMessage): void;
  closed(): void;
}

/** Connects media; rejects when it is refused. */
export type ConnectMedia = (url: string, listener: LineListener) => Promise<NetworkLine>;

/** Asks an address of ours by POST, with what the network signs it by. */
export type PostWebhook = (
  url: string,
  request: { readonly headers: Record<string, string>; readonly body: string },
) => Promise<WebhookAnswer>;

export interface WebhookAnswer {
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
