import { setImmediate as nextTurn } from 'node:timers/promises';
import { within } from '@parley/ports';
import { LRUCache } from 'lru-cache';
import { PlainPrincipals } from '../access/signed-principals';
import {
  type Backlog,
  type ConsumerOptions,
  type Consumption,
  type Delivery,
  type EventLog,
  eventSubject,
  ownerOfEvent,
  type StoredEvent,
  type DeliveryOutcome,
} from '../event-envelope';
import { limits } from '../limits';
import {
  type LazyBytes,
  inboxRoot,
  encodedNow,
  type Packet,
  type PublishOptions,
  type Receive,
  type Subscription,
  type Transport,
  type TransportStatus,
} from './transport';

const historyMax = 2_000;
const togetherMs = 100;
/** For how many subjects it is remembered who listens. Lines of sound use the same ones all the time. */
const recentMax = 512;

interface RememberedEvent {
  readonly event: StoredEvent;
  readonly dealtWith: Promise<void>;
}

/** A packet in transit, whose bytes may not be encoded yet. */
type PacketInTransit = Omit<Packet, 'data'> & { readonly data: LazyBytes };

function isEncoded(packet: PacketInTransit): packet is Packet {
  return typeof packet.data !== 'function';
}

interface Listener {
  readonly receive: Receive;
  readonly queue: string | undefined;
}

interface Listeners {
  readonly everyone: Set<Listener>;
  readonly queues: Map<string, Listener[]>;
}

/** The broker of one process: every application in it connects, and finds the others as it would over NATS. */
export class InProcessBroker {
  /** Within one process nobody is between the applications, so principals are trusted. */
  readonly principals = new PlainPrincipals();
  readonly events = new InProcessEventLog(({ subject, data }) =>
    this.post({ subject: eventSubject(subject), data, nobodyListens: false }),
  );
  private readonly bySubject = new Map<string, Listeners>();
  /** Those of patterns that end with `*`, by what stands before it: every frame of a line is addressed to one. */
  private readonly byPrefix = new Map<string, Listeners>();
  /** Who listens to the latest subjects. */
  private readonly recent = new Map<string, readonly Listeners[]>();
  private underWay: PacketInTransit[] = [];

  /** One connection per application, so that closing it affects no other. */
  connect(): InProcessTransport {
    return new InProcessTransport(this);
  }

  post(packet: PacketInTransit): void {
    // Packets are delivered in a later turn of the event loop, as from a socket: no callback runs while the sender is still
    // sending, and a busy pair leaves time for timers and sockets.
    if (this.underWay.push(packet) === 1) setImmediate(() => this.deliver());
  }

  add(subject: string, listener: Listener): void {
    this.recent.clear();
    const { known, key } = this.placeOf(subject);
    const listeners = known.get(key) ?? { everyone: new Set<Listener>(), queues: new Map<string, Listener[]>() };
    known.set(key, listeners);
    if (listener.queue === undefined) listeners.everyone.add(listener);
    else listeners.queues.set(listener.queue, [...(listeners.queues.get(listener.queue) ?? []), listener]);
  }

  remove(subject: string, listener: Listener): void {
    this.recent.clear();
    const { known, key } = this.placeOf(subject);
    const listeners = known.get(key);
    if (!listeners) return;
    listeners.everyone.delete(listener);
    if (listener.queue !== undefined) {
      const rest = listeners.queues.get(listener.queue)?.filter((other) => other !== listener) ?? [];
      if (rest.length > 0) listeners.queues.set(listener.queue, rest);
      else listeners.queues.delete(listener.queue);
    }
    if (listeners.everyone.size === 0 && listeners.queues.size === 0) known.delete(key);
  }

  private placeOf(subject: string): { known: Map<string, Listeners>; key: string } {
    const isPattern = subject.endsWith('*');
    return isPattern ? { known: this.byPrefix, key: subject.slice(0, -1) } : { known: this.bySubject, key: subject };
  }

  private deliver(): void {
    const packets = this.underWay;
    this.underWay = [];
    for (const parting of packets) {
      const packet = isEncoded(parting) ? parting : { ...parting, data: encodedNow(parting.data) };
      const listening = this.listeningTo(packet.subject);
      for (const listeners of listening) deliverTo(listeners, packet);
      if (listening.length === 0 && packet.reply !== undefined) this.returnToSender(packet.reply);
    }
  }

  private listeningTo(subject: string): readonly Listeners[] {
    const known = this.recent.get(subject);
    if (known) return known;
    const byPrefix = this.byPrefix.get(subject.slice(0, subject.lastIndexOf('.') + 1));
    const listening = [this.bySubject.get(subject), byPrefix].filter((listeners) => listeners !== undefined);
    if (this.recent.size >= recentMax) this.recent.clear();
    this.recent.set(subject, listening);
    return listening;
  }

  private returnToSender(subject: string): void {
    this.post({ subject, data: new Uint8Array(), nobodyListens: true });
  }
}

function deliverTo(listeners: Listeners, packet: Packet): void {
  for (const listener of listeners.everyone) listener.receive(packet);
  for (const queue of listeners.queues.values()) {
    // Round robin: the receiver of this packet moves to the end.
    const next = queue.shift();
    if (!next) continue;
    queue.push(next);
    next.receive(packet);
  }
}

/** One application's connection to the broker of its process. */
export class InProcessTransport implements Transport {
  readonly inbox = inboxRoot;
  private readonly subscriptions = new Set<Subscription>();
  private state: TransportStatus = 'connected';

  constructor(private readonly broker: InProcessBroker) {}

  get events(): InProcessEventLog {
    return this.broker.events;
  }

  get principals(): PlainPrincipals {
    return this.broker.principals;
  }

  status(): TransportStatus {
    return this.state;
  }

  publish(subject: string, data: LazyBytes, { reply }: PublishOptions = {}): void {
    if (this.state === 'closed') return;
    this.broker.post({ subject, data, nobodyListens: false, ...(reply === undefined ? {} : { reply }) });
  }

  subscribe(subject: string, receive: Receive, { queue }: { queue?: string } = {}): Subscription {
    const listener: Listener = { receive, queue };
    this.broker.add(subject, listener);
    const subscription: Subscription = {
      drain: async () => {
        await nextTurn();
        subscription.stop();
      },
      stop: () => {
        this.broker.remove(subject, listener);
        this.subscriptions.delete(subscription);
      },
    };
    this.subscriptions.add(subscription);
    return subscription;
  }

  settled(): Promise<void> {
    return Promise.resolve();
  }

  // Within one process there is no connection to lose.
  onLost(): () => void {
    return () => undefined;
  }

  async close(): Promise<void> {
    this.state = 'closed';
    for (const subscription of [...this.subscriptions]) subscription.stop();
  }
}

/**
 * The event log of one process. Events are kept in memory; what survives a crash is the transactional outbox, because `append`
 * resolves only once the present consumers have processed the event. Groups that appear later, while the services of the process
 * start one after another, receive what the log still has.
 */
class InProcessEventLog implements EventLog {
  readonly redeliveryMs = limits.redeliveryInProcessMs;
  readonly deadLetters: { group: string; event: StoredEvent }[] = [];
  private readonly history = new LRUCache<string, RememberedEvent>({ max: historyMax });
  private readonly groups = new Map<string, EventGroup>();

  /** `tell` passes an event on to live listeners. */
  constructor(private readonly tell: (event: StoredEvent) => void) {}

  append(given: StoredEvent): Promise<void> {
    const key = `${ownerOfEvent(given.subject)} ${given.id}`;
    const known = this.history.peek(key);
    if (known) return known.dealtWith;
    // A small Buffer is a slice of a shared 64 kB block, which keeping it would keep alive.
    const event = { ...given, data: new Uint8Array(given.data) };
    this.tell(event);
    const groups = [...this.groups.values()].filter(({ subject }) => subject === event.subject);
    const dealtWith = Promise.all(groups.map((group) => group.add(event))).then(() => undefined);
    this.history.set(key, { event, dealtWith });
    return dealtWith;
  }

  /**
   * Consumers receive all of them at once, and can store them together. The wait is short, since one event's consumers must not
   * delay another organization's: whoever appends the rest one by one waits for what is under way.
   */
  async appendTogether(events: readonly StoredEvent[]): Promise<number> {
    const isDone = events.map(() => false);
    const all = Promise.all(events.map((event, index) => this.append(event).then(() => (isDone[index] = true))));
    await within<unknown>(togetherMs, all, () => undefined);
    const first = isDone.indexOf(false);
    return first < 0 ? events.length : first;
  }

  /** Appending waits for the consumers, so none falls behind. */
  behind(): Promise<number> {
    return Promise.resolve(0);
  }

  async consume(
    { subject, group, concurrency }: ConsumerOptions,
    deliver: (delivery: Delivery) => Promise<DeliveryOutcome>,
  ): Promise<Consumption> {
    const key = `${group} ${subject}`;
    let consumers = this.groups.get(key);
    if (!consumers) {
      consumers = new EventGroup(subject);
      this.groups.set(key, consumers);
      for (const known of this.history.rvalues()) if (known?.event.subject === subject) void consumers.add(known.event);
    }
    return consumers.join(deliver, concurrency);
  }

  async addDeadLetter(group: string, event: StoredEvent): Promise<void> {
    this.deadLetters.push({ group, event });
    if (this.deadLetters.length > limits.deadLettersMax) this.deadLetters.shift();
  }
}

interface Pending {
  readonly event: StoredEvent;
  attempt: number;
  readonly settle: () => void;
}

interface GroupMember {
  readonly deliver: (delivery: Delivery) => Promise<DeliveryOutcome>;
  readonly working: Set<Promise<void>>;
  readonly concurrency: number;
}

/** The consumers of one subject in one service: each event goes to one of them, and is retried until it is done. */
class EventGroup {
  private readonly pending: Pending[] = [];
  /** Every event that is not done, oldest first. */
  private readonly undone = new Map<Pending, number>();
  private readonly members: GroupMember[] = [];

  constructor(readonly subject: string) {}

  /** Resolves once the event is done, or at once while the group has no member. */
  async add(event: StoredEvent): Promise<void> {
    await new Promise<void>((settle) => {
      const item = { event, attempt: 0, settle };
      this.pending.push(item);
      this.undone.set(item, performance.now());
      if (this.pending.length > limits.pendingEventsMax) this.drop(this.pending.shift());
      if (this.members.length === 0) settle();
      this.pump();
    });
  }

  join(deliver: GroupMember['deliver'], concurrency: number = limits.consumerConcurrency): Consumption {
    const member: GroupMember = { deliver, working: new Set(), concurrency };
    this.members.push(member);
    this.pump();
    return {
      backlog: () => Promise.resolve(this.backlog()),
      stop: async () => {
        this.members.splice(this.members.indexOf(member), 1);
        await Promise.all(member.working);
        // When the last member leaves, appends stop waiting, but their events stay.
        if (this.members.length === 0) for (const { settle } of this.pending) settle();
      },
    };
  }

  private backlog(): Backlog {
    const [oldestMs] = this.undone.values();
    return { events: this.undone.size, stuckMs: oldestMs === undefined ? 0 : performance.now() - oldestMs };
  }

  private drop(item: Pending | undefined): void {
    if (!item) return;
    this.undone.delete(item);
    item.settle();
  }

  private pump(): void {
    for (const member of [...this.members]) {
      while (member.working.size < member.concurrency) {
        const next = this.pending.shift();
        if (!next) return;
        const work: Promise<void> = this.work(member, next).finally(() => {
          member.working.delete(work);
          this.pump();
        });
        member.working.add(work);
      }
    }
  }

  private async work(member: GroupMember, item: Pending): Promise<void> {
    item.attempt += 1;
    const verdict = await member.deliver({ data: item.event.data, attempt: item.attempt });
    if (verdict === 'done') return this.drop(item);
    if (verdict.isUncounted) item.attempt -= 1;
    this.again(item, verdict.againInMs);
  }

  private again(item: Pending, inMs: number): void {
    const timer = setTimeout(() => {
      this.pending.push(item);
      if (this.members.length === 0) item.settle();
      this.pump();
    }, inMs);
    timer.unref();
  }
}
