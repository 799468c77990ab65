import { connect, type Msg, type NatsConnection, PermissionViolationError, type Status } from '@nats-io/transport-node';
import { type NatsCredentials, identityOptions } from '../access/nats-identity';
import { PlainPrincipals, type PrincipalCodec } from '../access/signed-principals';
import {
  type LazyBytes,
  inboxRoot,
  encodedNow,
  type MessageLog,
  nestMessageLog,
  type Packet,
  type PublishOptions,
  type Receive,
  sharedMark,
  type Subscription,
  type Transport,
  type TransportStatus,
} from './transport';
import { JetStreamEventLog } from './jetstream-events';

const itemsMax = 256;

const bytesMax = 64 * 1024;

interface NatsOptions {
  /** One or more servers of one cluster. */
  readonly servers: string | string[];
  /** The connection's name in the server's list. */
  readonly name: string;
  readonly log?: MessageLog;
  /** How this process authenticates; credentials in a URL of `servers` count as well. */
  readonly credentials?: NatsCredentials;
  /** The user in the server's permissions: answers arrive below this name. */
  readonly user?: string;
  /** Verifies principals. Without it all are trusted, which is only for brokers that only tests can reach. */
  readonly principals?: PrincipalCodec;
  /** Whether missing streams and consumers are created. Services lack the right; `prepareEvents` creates theirs. */
  readonly makesStreams?: boolean;
  /** Copies of each event stream: 1 on a single server, 3 on a cluster. */
  readonly eventReplicas?: number;
  readonly eventBytesMax?: number;
  readonly eventAgeMaxMs?: number;
}

// A silent server is noticed at the third ping, within a caller's second, while one slow turn of our own event loop does not
// declare it dead.
const pingMs = 300;
const unansweredPingsMax = 2;
/** The interval while nothing is sent and no answer is awaited, because every ping wakes both ends. */
const restingPingMs = 10_000;
/** The client's own, fixed interval. */
const clientPingMs = 60_000;

const nobodyListensCode = 503;

/** A message on its way to the socket. */
interface Outgoing {
  readonly subject: string;
  readonly data: LazyBytes;
  readonly options: PublishOptions;
}

/** Packets over a NATS server or cluster. Reconnects and resubscribes indefinitely. */
export class NatsTransport implements Transport {
  readonly events: JetStreamEventLog;
  readonly principals: PrincipalCodec;
  readonly inbox: string;
  private readonly lostListeners = new Set<() => void>();
  /** Subscriptions that the server refused, each as a function that subscribes again. */
  private readonly refused = new Set<() => void>();
  private readonly outgoing = new TurnBuffer<Outgoing>((messages) => this.send(messages));
  private state: TransportStatus = 'connected';
  private nextPing: NodeJS.Timeout | undefined;
  private pingedAtMs = 0;
  private lostAtMs = 0;
  private isResting = false;
  private unansweredPings = 0;

  private constructor(
    private readonly connection: NatsConnection,
    options: NatsOptions,
  ) {
    const log = options.log ?? nestMessageLog;
    this.principals = options.principals ?? new PlainPrincipals();
    this.inbox = inboxOf(options);
    this.events = new JetStreamEventLog(connection, this, { ...options, log });
    void this.watch(log);
    this.pingIn(pingMs);
    void connection.closed().then(() => this.lose('closed'));
  }

  /** Resolves once a server answers, however long that takes. */
  static async connect(options: NatsOptions): Promise<NatsTransport> {
    const connection = await connect({
      ...(await identityOptions(options.servers, options.credentials)),
      name: options.name,
      inboxPrefix: inboxOf(options),
      noAsyncTraces: true,
      waitOnFirstConnect: true,
      maxReconnectAttempts: -1,
      reconnectTimeWait: 250,
      reconnectJitter: 100,
      timeout: 2_000,
      pingInterval: clientPingMs,
    });
    return new NatsTransport(connection, options);
  }

  status(): TransportStatus {
    return this.state;
  }

  lacksSubscriptions(): boolean {
    return this.refused.size > 0;
  }

  publish(subject: string, data: LazyBytes, { reply }: PublishOptions = {}): void {
    // A packet published while disconnected would arrive late, when its answer is no longer wanted.
    if (this.state !== 'connected') return;
    this.checkSoon();
    const place = reply === undefined ? placeOf(subject) : { subject, options: { reply } };
    this.outgoing.add({ ...place, data }, data instanceof Uint8Array ? data.byteLength : 0);
  }

  subscribe(subject: string, receive: Receive, options: { queue?: string } = {}): Subscription {
    const own = this.listen(subject, options, (message) => receive(packetOf(message)));
    const inbox = inboxIn(subject);
    if (inbox === undefined) return own;
    const shared = this.listen(inbox, options, (message) => receive(packetInInbox(message)));
    return {
      drain: async () => void (await Promise.all([own.drain(), shared.drain()])),
      stop: () => {
        own.stop();
        shared.stop();
      },
    };
  }

  private listen(subject: string, options: { queue?: string }, hear: (message: Msg) => void): Subscription {
    const callback = (error: Error | null, message: Msg) => {
      if (!error) hear(message);
      else if (error instanceof PermissionViolationError) this.refused.add(subscribe);
    };
    let subscription = this.connection.subscribe(subject, { ...options, callback });
    const subscribe = () => void (subscription = this.connection.subscribe(subject, { ...options, callback }));
    const stop = () => {
      this.refused.delete(subscribe);
      if (!subscription.isClosed()) subscription.unsubscribe();
    };
    return {
      drain: async () => (this.state === 'connected' && !subscription.isClosed() ? subscription.drain() : stop()),
      stop,
    };
  }

  async settled(): Promise<void> {
    // If the connection is lost meanwhile, the client resubscribes by itself, and `status` reports it.
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
    clearTimeout(this.nextPing);
    await this.connection.close();
  }

  checkSoon(): void {
    if (!this.isResting) return;
    this.isResting = false;
    this.pingIn(Math.max(0, this.pingedAtMs + pingMs - performance.now()));
  }

  private pingIn(ms: number): void {
    clearTimeout(this.nextPing);
    this.nextPing = setTimeout(() => this.ping(), ms).unref();
  }

  private ping(): void {
    this.pingedAtMs = performance.now();
    this.unansweredPings += 1;
    if (this.state !== 'connected') this.unansweredPings = 0;
    else if (this.unansweredPings > unansweredPingsMax) void this.connection.reconnect();
    else this.connection.flush().then(() => (this.unansweredPings = 0), noAnswer);
    // The ping before this one was answered, so the next one can wait until there is a reason for it.
    this.isResting = this.unansweredPings <= 1;
    this.pingIn(this.isResting ? restingPingMs : pingMs);
  }

  private send(messages: readonly Outgoing[]): void {
    if (this.state !== 'connected') return;
    for (const { subject, data, options } of messages) this.connection.publish(subject, encodedNow(data), options);
  }

  private async watch(log: MessageLog): Promise<void> {
    for await (const status of this.connection.status()) {
      const { type } = status;
      reportError(status, log);
      if (type === 'reconnect') this.resume(log);
      else if (type === 'disconnect' || type === 'forceReconnect' || type === 'staleConnection') this.interrupt(log);
    }
  }

  /** One line for an outage, however many messages fail in it, and one for its end. */
  private interrupt(log: MessageLog): void {
    if (this.state === 'connected') {
      this.lostAtMs = performance.now();
      log.warn({ nats: this.connection.getServer() }, 'The connection to NATS was lost');
    }
    this.lose('reconnecting');
  }

  /** The client forgets refused subscriptions. A server that was given other users closes their connections. */
  private resume(log: MessageLog): void {
    if (this.state === 'reconnecting') {
      const seconds = Math.round((performance.now() - this.lostAtMs) / 1_000);
      log.info({ nats: this.connection.getServer(), seconds }, 'The connection to NATS is back');
    }
    this.state = 'connected';
    const refused = [...this.refused];
    this.refused.clear();
    for (const subscribe of refused) subscribe();
  }

  private lose(state: TransportStatus): void {
    if (this.state !== 'closed') this.state = state;
    for (const listener of [...this.lostListeners]) listener();
  }
}

const noAnswer = (): void => undefined;

const noRight =
  'NATS does not permit this user a subject: NATS_NKEY or NATS_NKEY_FILE is of another service, or NATS has an older deploy/stores/nats-users.conf';

function reportError(status: Status, log: MessageLog): void {
  if (status.type !== 'error') return;
  log.error({ err: status.error }, status.error instanceof PermissionViolationError ? noRight : 'NATS reported an error');
}

function inboxOf({ user }: NatsOptions): string {
  return user === undefined ? inboxRoot : `${inboxRoot}.${user}`;
}

/** The inbox whose addresses a subscription receives, if it is an inbox. */
function inboxIn(subject: string): string | undefined {
  return subject.startsWith(inboxRoot) && subject.endsWith('.*') ? subject.slice(0, -2) : undefined;
}

/**
 * Where a packet is published. A packet for an address is published to its inbox, with the last word in place of the reply
 * address: a broker looks each new subject up in the sender's permissions and among all subscriptions, and addresses are new with
 * every request.
 */
function placeOf(subject: string): Pick<Outgoing, 'subject' | 'options'> {
  const wordAt = subject.startsWith(inboxRoot) ? subject.lastIndexOf(`.${sharedMark}`) : -1;
  return wordAt < 0
    ? { subject, options: {} }
    : { subject: subject.slice(0, wordAt), options: { reply: subject.slice(wordAt + 1) } };
}

function packetInInbox({ subject, data, reply = '' }: Msg): Packet {
  return { subject: `${subject}.${reply}`, data, nobodyListens: false };
}

function packetOf({ subject, data, reply, headers }: Msg): Packet {
  const nobodyListens = data.byteLength === 0 && headers?.code === nobodyListensCode;
  return reply ? { subject, data, reply, nobodyListens } : { subject, data, nobodyListens };
}

/**
 * Collects what one turn of the event loop sends and flushes it at the end of the turn, or earlier if it is large, so that many
 * concurrent callers share one socket write. Keeps the order.
 */
export class TurnBuffer<Item> {
  private items: Item[] = [];
  private bytes = 0;
  private timer: NodeJS.Immediate | undefined;

  constructor(private readonly handOver: (items: readonly Item[]) => void) {}

  add(item: Item, bytes: number): void {
    this.items.push(item);
    this.bytes += bytes;
    if (this.items.length >= itemsMax || this.bytes >= bytesMax) this.flush();
    else this.timer ??= setImmediate(() => this.flush());
  }

  /** Flushes immediately. */
  flush(): void {
    clearImmediate(this.timer);
    this.timer = undefined;
    const { items } = this;
    this.items = [];
    this.bytes = 0;
    if (items.length > 0) this.handOver(items);
  }
}
