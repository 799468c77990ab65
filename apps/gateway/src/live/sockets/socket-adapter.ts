import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocketAdapter, WsMessageHandler } from '@nestjs/common';
import { type WebSocket, WebSocketServer } from 'ws';
import { type SocketEndpoint, socketEndpointAt } from '../../api/hand-written';
import { complaintAboutHead } from '../../door/http/configure-http';
import { afterAnswers, answerBadUpgrade } from '../../door/http/fastify-options';
import { ClientSocket } from './client-socket';
import { socketLimits } from './relay';
import type { SocketSession } from './socket-session';

/** A connection as the socket's Nest gateway sees it. */
export interface Connection {
  readonly to: SocketEndpoint;
  readonly request: IncomingMessage;
  readonly client: ClientSocket;
  /** Set once the client was admitted. */
  session?: SocketSession;
}

/** The handler for malformed frames, and for types without one of their own. */
export const anyOther = '*';

type Handle = (frame: unknown, type: string) => Promise<unknown>;

/**
 * Dispatches WebSockets of the public HTTP server to the Nest gateways of their paths, and each text frame to the handler of its
 * type. Sound goes straight to the session: at fifty frames a second, guards and pipes would only cost time.
 */
export class SocketAdapter implements WebSocketAdapter<WebSocketServer, Connection, { path: string }> {
  private readonly servers = new Map<string, WebSocketServer>();

  constructor(server: Server) {
    server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => this.upgrade(request, socket, head));
  }

  create(_port: number, { path }: { path: string }): WebSocketServer {
    const maxPayload = socketLimits.frameBytesMax;
    const server = new WebSocketServer({ noServer: true, clientTracking: false, perMessageDeflate: false, maxPayload });
    server.on('wsClientError', (_error, socket) => answerBadUpgrade(socket));
    this.servers.set(path, server);
    return server;
  }

  bindClientConnect(server: WebSocketServer, connected: (connection: Connection) => void): void {
    server.on('connection', connected);
  }

  bindMessageHandlers(connection: Connection, handlers: WsMessageHandler[]): void {
    const handles = new Map<string, Handle>(
      handlers.map(({ message, callback }) => [message, async (frame, type) => void (await callback(frame, type))]),
    );
    const order = new FrameOrder();
    connection.client.listen({
      sound: (bytes) => order.sound(() => connection.session?.receiveSound(bytes)),
      text: (text) => {
        const frame = parsed(text);
        const type = typeOf(frame);
        const handle = handles.get(type) ?? handles.get(anyOther);
        if (handle) order.text(() => handle(frame, type));
      },
    });
  }

  /** Open sockets are closed by `OpenSockets`. */
  close(server: WebSocketServer): void {
    server.close();
  }

  /** Nest calls this on shutdown, though its adapter interface does not declare it. */
  dispose(): void {
    this.servers.clear();
  }

  private upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const to = socketEndpointAt(request.url);
    const server = to && this.servers.get(to.endpoint.path);
    // The HTTP server hands over no other upgrades; see `fastify-options`.
    if (!server) return void socket.destroy();
    const complaint = complaintAboutHead(request);
    if (complaint) return answerBadUpgrade(socket, complaint);
    // The answers to requests before it on the same connection would come within the WebSocket.
    afterAnswers(socket, () =>
      server.handleUpgrade(request, socket, head, (wire: WebSocket) => {
        server.emit('connection', { to, request, client: new ClientSocket(wire, socket) } satisfies Connection);
      }),
    );
  }
}

/**
 * Keeps frames in order. Nest awaits guards and pipes before it calls a handler, so sound in the same packet would overtake the
 * `session.start` before it. Frames after a text frame wait for its handler; sound after sound does not.
 */
class FrameOrder {
  private readonly waiting: (() => void | Promise<unknown>)[] = [];
  private isBusy = false;

  sound(handle: () => void): void {
    if (this.isBusy) this.waiting.push(handle);
    else handle();
  }

  text(handle: () => Promise<unknown>): void {
    this.waiting.push(handle);
    if (!this.isBusy) void this.empty();
  }

  private async empty(): Promise<void> {
    this.isBusy = true;
    for (let next = this.waiting.shift(); next; next = this.waiting.shift()) await next();
    this.isBusy = false;
  }
}

/** The content of a text frame; undefined if it is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function typeOf(frame: unknown): string {
  const type: unknown = typeof frame === 'object' && frame !== null ? Reflect.get(frame, 'type') : undefined;
  return typeof type === 'string' ? type : anyOther;
}
