import { limits } from '../limits';
import { type Consumption, type ConsumerOptions, type Delivery, type EventLog, ownerOfEvent, type StoredEvent, type Verdict } from './event-log';
import { EventGroup } from './event-group';

const historyMax = 10_000;

/**
 * The event log of one process. Events live in memory: the transactional outbox is what survives a crash, because `append`
 * resolves only once the consumers that are present have dealt with the event. Groups that appear later, while the
 * services of the process start one after another, are given what the log still remembers.
 */
export class InProcessEventLog implements EventLog {
  readonly buried: { group: string; event: StoredEvent }[] = [];
  private readonly history = new Map<string, StoredEvent>();
  private readonly groups = new Map<string, EventGroup>();

  async append(event: StoredEvent): Promise<void> {
    const key = `${ownerOfEvent(event.subject)} ${event.id}`;
    if (this.history.has(key)) return;
    this.history.set(key, event);
    forgetOldest(this.history, historyMax);
    const groups = [...this.groups.values()].filter(({ subject }) => subject === event.subject);
    await Promise.all(groups.map((group) => group.add(event)));
  }

  async consume({ subject, group }: ConsumerOptions, deliver: (delivery: Delivery) => Promise<Verdict>): Promise<Consumption> {
    const key = `${group} ${subject}`;
    let consumers = this.groups.get(key);
    if (!consumers) {
      consumers = new EventGroup(subject);
      this.groups.set(key, consumers);
      for (const event of this.history.values()) if (event.subject === subject) void consumers.add(event);
    }
    return consumers.join(deliver);
  }

  async bury(group: string, event: StoredEvent): Promise<void> {
    this.buried.push({ group, event });
    if (this.buried.length > limits.deadLettersMax) this.buried.shift();
  }
}

function forgetOldest(history: Map<string, StoredEvent>, max: number): void {
  if (history.size <= max) return;
  for (const key of history.keys()) {
    history.delete(key);
    return;
  }
}
