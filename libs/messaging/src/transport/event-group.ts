import { limits } from '../limits';
import type { Consumption, Delivery, StoredEvent, Verdict } from './event-log';

interface Pending {
  readonly event: StoredEvent;
  attempt: number;
  readonly settle: () => void;
}

interface Member {
  readonly deliver: (delivery: Delivery) => Promise<Verdict>;
  readonly working: Set<Promise<void>>;
  readonly concurrency: number;
}

/** The consumers of one subject in one service: each event goes to one of them, again and again until it is done. */
export class EventGroup {
  private readonly pending: Pending[] = [];
  private readonly members: Member[] = [];

  constructor(readonly subject: string) {}

  /** Resolves once the event is done, or at once while nobody of the group is there. */
  async add(event: StoredEvent): Promise<void> {
    await new Promise<void>((settle) => {
      this.pending.push({ event, attempt: 0, settle });
      if (this.pending.length > limits.pendingEventsMax) this.pending.shift()?.settle();
      if (this.members.length === 0) settle();
      this.pump();
    });
  }

  join(deliver: Member['deliver'], concurrency: number = limits.consumerConcurrency): Consumption {
    const member: Member = { deliver, working: new Set(), concurrency };
    this.members.push(member);
    this.pump();
    return {
      stop: async () => {
        this.members.splice(this.members.indexOf(member), 1);
        await Promise.all(member.working);
        // Whoever waits for an event that nobody works on any more waits no longer; the event itself stays.
        if (this.members.length === 0) for (const { settle } of this.pending) settle();
      },
    };
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

  private async work(member: Member, item: Pending): Promise<void> {
    item.attempt += 1;
    const verdict = await member.deliver({ data: item.event.data, attempt: item.attempt });
    if (verdict === 'done') item.settle();
    else this.again(item, verdict.againInMs);
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
