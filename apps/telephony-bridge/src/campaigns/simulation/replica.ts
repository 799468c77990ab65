import { CampaignEngine } from '../plan/engine';
import type { CallUpdate, CampaignStore, Telephone } from '../plan/ports';
import type { Chance, VirtualTime } from './virtual-time';

/** How often a replica fails, as a share of its requests to the store or the telephone. */
export interface ReplicaFaultRates {
  readonly crashes: number;
  /** It freezes, for at least as long as a lease. */
  readonly stalls: number;
}

export interface ReplicaParts {
  readonly time: VirtualTime;
  readonly chance: Chance;
  readonly faultRates: ReplicaFaultRates;
  readonly store: CampaignStore;
  readonly telephone: Telephone;
  afterStep(): void;
}

const restartMs = { least: 500, most: 60_000 };
const stallMs = { least: 500, most: 40_000 };
const busyMs = 1_000;
/** While idle, the interval doubles up to this. */
const idleMsMax = 120_000;
/** As short as the longest simulated call allows. */
const settings = { leaseMs: 10_000, silenceMs: 60_000, callMsMax: 600_000 };
let starts = 0;

/** A simulated process that runs the engine, freezes at times, dies at any point and restarts. */
export class Replica {
  crashes = 0;
  stalls = 0;
  troubles = 0;
  private life = 0;
  private isStalled = false;
  private engine: CampaignEngine | undefined;

  constructor(private readonly parts: ReplicaParts) {
    this.start();
  }

  /** Receives the telephone's reports; false while it is down. */
  hear(news: CallUpdate): boolean {
    this.engine?.hear(news).catch(() => (this.troubles += 1));
    return this.engine !== undefined;
  }

  private start(): void {
    this.life += 1;
    starts += 1;
    const life = this.life;
    const engine = new CampaignEngine({
      store: this.mortal(this.parts.store, life),
      telephone: this.mortal(this.parts.telephone, life),
      owner: `replica-${starts}`,
      settings,
      onTrouble: () => (this.troubles += 1),
    });
    this.engine = engine;
    let pauseMs = busyMs;
    const step = (): void => {
      if (life !== this.life) return;
      void engine.step().then(
        (touched) => {
          this.parts.afterStep();
          pauseMs = touched > 0 ? busyMs : Math.min(pauseMs * 2, idleMsMax);
          this.parts.time.after(pauseMs, step);
        },
        () => this.parts.time.after(busyMs, step),
      );
    };
    this.parts.time.after(this.parts.chance.between(0, busyMs), step);
  }

  private crash(): void {
    this.crashes += 1;
    this.life += 1;
    this.engine = undefined;
    this.parts.time.after(this.parts.chance.between(restartMs.least, restartMs.most), () => this.start());
  }

  /** A port as used during one life of this process: once dead, it sends nothing and receives no replies. */
  private mortal<Port extends object>(port: Port, life: number): Port {
    const known = new Map<string | symbol, unknown>();
    return new Proxy(port, {
      get: (target, name): unknown => {
        const method: unknown = known.get(name) ?? this.frailly(target, Reflect.get(target, name), life);
        known.set(name, method);
        return method;
      },
    });
  }

  private frailly(target: object, method: unknown, life: number): unknown {
    if (typeof method !== 'function') return method;
    return async (...given: unknown[]) => {
      if (this.isStruck(life)) await this.survive(life);
      const answer: unknown = await Reflect.apply(method, target, given);
      if (this.isStruck(life)) await this.survive(life);
      return answer;
    };
  }

  /** Whether it cannot continue, because it has died, dies now or is frozen. */
  private isStruck(life: number): boolean {
    const { chance, faultRates } = this.parts;
    if (life === this.life && chance.isLucky(faultRates.crashes)) this.crash();
    this.isStalled = life === this.life && chance.isLucky(faultRates.stalls);
    return life !== this.life || this.isStalled;
  }

  /** Resolves after a while, or never. */
  private async survive(life: number): Promise<void> {
    const { chance, time } = this.parts;
    if (this.isStalled) {
      this.stalls += 1;
      await time.wait(chance.between(stallMs.least, stallMs.most));
    }
    if (life !== this.life) await new Promise<never>(() => undefined);
  }
}
