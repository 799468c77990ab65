import { limits } from '../limits';
import type { Consumption, ConsumerOptions, Delivery, EventLog, StoredEvent, Verdict } from './event-log';
import { ownerOfEvent } from './event-log';
import { EventGroup } from './event-group';

const historyMax = 2_000;

interface Remembered {
  readonly event: StoredEvent;
  readonly dealtWith: Promise<void>;
}

/**
 * The event log of one process. Events live in memory: the transactional outbox is what survives a crash, because `append`
 * resolves only once the consumers that are present have dealt with the event. Groups that appear later, while the
 * services of the process start one after another, are given what the log still remembers.
 */
export class InProcessEventLog implements EventLog {
  readonly redeliveryMs = limits.redeliveryInProcessMs;
  readonly buried: { group: string; event: StoredEvent }[] = [];
  private readonly history = new Map<string, Remembered>();
  private readonly groups = new Map<string, EventGroup>();

  /** `tell` lets whoever hears events know of one. */
  constructor(private readonly tell: (event: StoredEvent) => void) {}

  append(event: StoredEvent): Promise<void> {
    const key = `${ownerOfEvent(event.subject)} ${event.id}`;
    const known = this.history.get(key);
    if (known) return known.dealtWith;
    this.tell(event);
    const groups = [...this.groups.values()].filter(({ subject }) => subject === event.subject);
    const dealtWith = Promise.all(groups.map((group) => group.add(event))).then(() => undefined);
    this.history.set(key, { event, dealtWith });
    forgetOldest(this.history);
    return dealtWith;
  }

  /** There is no way to a broker to be spared, and one event's consumers must not keep another organization waiting. */
  appendTogether(): Promise<number> {
    return Promise.resolve(0);
  }

  async consume({ subject, group }: ConsumerOptions, deliver: (delivery: Delivery) => Promise<Verdict>): Promise<Consumption> {
    const key = `${group} ${subject}`;
    let consumers = this.groups.get(key);
    if (!consumers) {
      consumers = new EventGroup(subject);
      this.groups.set(key, consumers);
      for (const { event } of this.history.values()) if (event.subject === subject) void consumers.add(event);
    }
    return consumers.join(deliver);
  }

  async bury(group: string, event: StoredEvent): Promise<void> {
    this.buried.push({ group, event });
    if (this.buried.length > limits.deadLettersMax) this.buried.shift();
  }
}

function forgetOldest(history: Map<string, Remembered>): void {
  const [oldest] = history.keys();
  if (oldest !== undefined && history.size > historyMax) history.delete(oldest);
}
