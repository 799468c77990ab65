import { within } from '@parley/contracts';

/** Whether something a service stands on can be reached right now. */
export type HealthCheck = () => boolean | Promise<boolean>;

export interface Readiness {
  readonly isReady: boolean;
  readonly checks: Readonly<Record<string, boolean>>;
}

const answerAgeMaxMs = 1_000;
const checkTimeoutMs = 2_000;

/** How one service stands. Checks run at most once a second however often a probe asks, and a hanging check counts as failed. */
export class ServiceHealth {
  isStarted = false;
  isDraining = false;
  private reachable: { atMs: number; checks: Promise<Record<string, boolean>> } | undefined;

  constructor(
    readonly name: string,
    private readonly checks: Readonly<Record<string, HealthCheck>>,
  ) {}

  async readiness(): Promise<Readiness> {
    const checks = { started: this.isStarted, accepting: !this.isDraining, ...(await this.recentChecks()) };
    return { checks, isReady: Object.values(checks).every(Boolean) };
  }

  private recentChecks(): Promise<Record<string, boolean>> {
    const now = performance.now();
    if (!this.reachable || now - this.reachable.atMs > answerAgeMaxMs) this.reachable = { atMs: now, checks: this.runChecks() };
    return this.reachable.checks;
  }

  private async runChecks(): Promise<Record<string, boolean>> {
    const outcomes = Object.entries(this.checks).map(async ([name, check]) => [name, await succeedsInTime(check)] as const);
    return Object.fromEntries(await Promise.all(outcomes));
  }
}

async function succeedsInTime(check: HealthCheck): Promise<boolean> {
  const work = async () => check();
  return within(checkTimeoutMs, work(), () => false).catch(() => false);
}
