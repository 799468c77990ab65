import { connect, type Msg, type NatsConnection } from '@nats-io/transport-node';
import type { MessageLog } from '../message-log';
import { nestMessageLog } from '../message-log';
import { type Cargo, laidOut } from './cargo';
import { JetStreamEventLog } from './jetstream-events';
import { TurnBuffer } from './turn-buffer';
import type { Packet, PublishOptions, Receive, Subscription, Transport, TransportStatus } from './transport';

export interface NatsOptions {
  /** One or more servers of one cluster. */
  readonly servers: string | string[];
  /** How this process appears in the server's lists of connections. */
  readonly name: string;
  readonly log?: MessageLog;
  /** Copies of each event stream: 1 on a single server, 3 on a cluster. */
  readonly eventReplicas?: number;
  readonly eventBytesMax?: number;
  readonly eventAgeMaxMs?: number;
}

// A server that went silent is noticed by the third beat, before a caller's second is over; one slow turn of our own
// event loop is not enough to take it for dead.
const pingMs = 300;
const unansweredPingsMax = 2;

const nobodyListensCode = 503;

/** A message on its way to the socket. */
interface Outgoing {
  readonly subject: string;
  readonly data: Cargo;
  readonly options: PublishOptions;
}

/** Packets over a NATS server or cluster. It reconnects for ever, and subscribes again when it does. */
export class NatsTransport implements Transport {
  readonly events: JetStreamEventLog;
  private readonly lostListeners = new Set<() => void>();
  private readonly outgoing = new TurnBuffer<Outgoing>((messages) => this.send(messages));
  private state: TransportStatus = 'connected';

  private constructor(
    private readonly connection: NatsConnection,
    options: NatsOptions,
  ) {
    const log = options.log ?? nestMessageLog;
    this.events = new JetStreamEventLog(connection, this, { ...options, log });
    void this.watch(log);
    void connection.closed().then(() => this.lose('closed'));
  }

  /** Resolves once a server answers; waits for it as long as it takes. */
  static async connect(options: NatsOptions): Promise<NatsTransport> {
    const connection = await connect({
      servers: options.servers,
      name: options.name,
      noAsyncTraces: true,
      waitOnFirstConnect: true,
      maxReconnectAttempts: -1,
      reconnectTimeWait: 250,
      reconnectJitter: 100,
      timeout: 2_000,
      pingInterval: pingMs,
      maxPingOut: unansweredPingsMax,
    });
    return new NatsTransport(connection, options);
  }

  status(): TransportStatus {
    return this.state;
  }

  publish(subject: string, data: Cargo, { reply }: PublishOptions = {}): void {
    // What is published while nobody is connected would wait, and arrive when nobody waits for it any more.
    if (this.state !== 'connected') return;
    const options = reply === undefined ? {} : { reply };
    this.outgoing.add({ subject, data, options }, data instanceof Uint8Array ? data.byteLength : 0);
  }

  subscribe(subject: string, receive: Receive, { queue }: { queue?: string } = {}): Subscription {
    const subscription = this.connection.subscribe(subject, {
      ...(queue === undefined ? {} : { queue }),
      callback: (error, message) => {
        if (!error) receive(packetOf(message));
      },
    });
    return {
      drain: () => (this.state === 'connected' ? subscription.drain() : Promise.resolve(subscription.unsubscribe())),
      stop: () => {
        if (!subscription.isClosed()) subscription.unsubscribe();
      },
    };
  }

  async settled(): Promise<void> {
    // A connection lost meanwhile subscribes again by itself, and says so in its status.
    if (this.state === 'connected') await this.connection.flush().catch(() => undefined);
  }

  onLost(listener: () => void): () => void {
    this.lostListeners.add(listener);
    return () => void this.lostListeners.delete(listener);
  }

  async close(): Promise<void> {
    this.outgoing.flush();
    await this.settled();
    this.lose('closed');
    await this.connection.close();
  }

  private send(messages: readonly Outgoing[]): void {
    if (this.state !== 'connected') return;
    for (const { subject, data, options } of messages) this.connection.publish(subject, laidOut(data), options);
  }

  private async watch(log: MessageLog): Promise<void> {
    for await (const { type } of this.connection.status()) {
      if (type === 'reconnect') this.state = 'connected';
      else if (type === 'disconnect' || type === 'staleConnection') this.lose('reconnecting');
      if (type === 'disconnect') log.warn({}, 'The connection to NATS was lost');
    }
  }

  private lose(state: TransportStatus): void {
    if (this.state !== 'closed') this.state = state;
    for (const listener of [...this.lostListeners]) listener();
  }
}

function packetOf({ subject, data, reply, headers }: Msg): Packet {
  const nobodyListens = data.byteLength === 0 && headers?.code === nobodyListensCode;
  return reply ? { subject, data, reply, nobodyListens } : { subject, data, nobodyListens };
}
