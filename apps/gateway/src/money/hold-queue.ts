import type { CreditOutcome, Hold } from './operation';

type Try = (hold: Hold) => Promise<CreditOutcome>;

interface WaitingHold {
  readonly hold: Hold;
  readonly giveUpAtMs: number;
  resolve(outcome: CreditOutcome): void;
  reject(error: unknown): void;
}

/** One organization's waiting holds: those of charges already begun go first. */
interface OrganizationHolds {
  readonly begun: WaitingHold[];
  readonly fresh: WaitingHold[];
  isServed: boolean;
  isLookedAtAgain: boolean;
}

/** A question is answered in a second or two; a hold that waits longer fails for lack of credits. */
const waitMs = 8_000;
const waitingMax = 1_000;
/** Releases at other gateways are not announced. */
const lookMs = 200;

/**
 * Holds that would fit if others were released wait for that, in turn: a hold covers the longest answer and most are much
 * shorter, so held credits are no reason to refuse. One that exceeds the total, held or not, is refused at once.
 */
export class HoldQueue {
  private readonly lines = new Map<number, OrganizationHolds>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly attempt: Try) {}

  /** The outcome of a hold; `exhausted` when its turn has not come in time. */
  async take(hold: Hold): Promise<CreditOutcome> {
    const line = this.lines.get(hold.orgId);
    if (line && !hold.isRaise) return this.wait(hold, line);
    // A charge that already holds something asks at once, and releases it if it has to wait, which avoids deadlock.
    const outcome = await this.attempt(hold);
    if (outcome.outcome !== 'exhausted' || !outcome.isPassing) return outcome;
    const waiting = this.wait(hold, this.lines.get(hold.orgId) ?? this.openLine(hold.orgId));
    this.look(hold.orgId);
    return waiting;
  }

  /** Credits of an organization were released: waiting holds may fit now. */
  look(orgId: number): void {
    const line = this.lines.get(orgId);
    if (!line) return;
    line.isLookedAtAgain = true;
    if (!line.isServed) void this.serve(orgId, line);
  }

  private openLine(orgId: number): OrganizationHolds {
    const line: OrganizationHolds = { begun: [], fresh: [], isServed: false, isLookedAtAgain: false };
    this.lines.set(orgId, line);
    this.timer ??= setInterval(() => this.lookAtAll(), lookMs).unref();
    return line;
  }

  private wait(hold: Hold, line: OrganizationHolds): Promise<CreditOutcome> {
    if (line.begun.length + line.fresh.length >= waitingMax) return this.attempt(hold);
    const { promise, resolve, reject } = Promise.withResolvers<CreditOutcome>();
    const waiting = { hold, giveUpAtMs: performance.now() + waitMs, resolve, reject };
    (hold.isRaise ? line.begun : line.fresh).push(waiting);
    return promise;
  }

  private lookAtAll(): void {
    for (const orgId of this.lines.keys()) this.look(orgId);
    if (this.lines.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private async serve(orgId: number, line: OrganizationHolds): Promise<void> {
    line.isServed = true;
    while (line.isLookedAtAgain) {
      line.isLookedAtAgain = false;
      while (await this.serveFirst(line));
    }
    line.isServed = false;
    if (line.begun.length + line.fresh.length === 0) this.lines.delete(orgId);
  }

  /** Answers whether the next one may be tried. */
  private async serveFirst(line: OrganizationHolds): Promise<boolean> {
    const [oldest] = line.fresh;
    const isOverdue = oldest !== undefined && performance.now() >= oldest.giveUpAtMs;
    const queue = line.begun.length > 0 && !isOverdue ? line.begun : line.fresh;
    const [first] = queue;
    if (!first) return false;
    try {
      const outcome = await this.attempt(first.hold);
      if (outcome.outcome === 'exhausted' && outcome.isPassing && performance.now() < first.giveUpAtMs) return false;
      first.resolve(outcome);
    } catch (error) {
      first.reject(error);
    }
    queue.splice(queue.indexOf(first), 1);
    return true;
  }
}
