import { isDeepStrictEqual } from 'node:util';
import type { CallingRules, CampaignPlan } from '../plan/campaign';
import type { CampaignStore, Telephone } from '../plan/ports';
import { FaultyTelephone, type TelephoneParts } from './faulty-telephone';
import { MemoryCampaignStore } from './memory-store';
import { Replica } from './replica';
import { type JudgedHours, type Rule, RuleChecker, type Violation } from './rule-checker';
import { Chance, VirtualTime } from './virtual-time';
import { drawScenario, judgedHours, usualLegalHours, type CampaignScenario } from './scenario';

export interface SimulationOptions {
  readonly seed: number;
  readonly contacts: number;
  /** Breaks a rule on purpose, to check that the checker notices. */
  readonly sabotage?: Sabotage;
  /** The simulation ends when it is broken. */
  readonly until?: Rule;
}

export interface Sabotage {
  readonly store?: (store: CampaignStore) => CampaignStore;
  readonly telephone?: (telephone: Telephone) => Telephone;
  readonly parts?: Partial<TelephoneParts>;
  /** The campaign as the store sees it. */
  readonly campaign?: (campaign: CampaignPlan) => CampaignPlan;
  /** The do-not-call list as the store and the telephone see it. */
  readonly isListed?: (number: string) => boolean;
}

/** The result of a simulation. */
export interface Simulated {
  readonly seed: number;
  readonly contacts: number;
  readonly virtualHours: number;
  readonly seconds: number;
  /** CPU time, which is the same on a busy machine. */
  readonly cpuSeconds: number;
  readonly dials: number;
  readonly liveMax: number;
  readonly persons: number;
  readonly abandoned: number;
  readonly crashes: number;
  readonly stalls: number;
  readonly troubles: number;
  readonly steps: number;
  readonly recounts: number;
  readonly unknown: number;
  readonly pauses: number;
  readonly violations: readonly Violation[];
}

const replicaCount = 3;
const daysMax = 20;
const dayMs = 86_400_000;
/** Larger campaigns are recounted only after several steps, since a recount reads every contact. */
const contactsRecountedAtEveryStep = 10;

/** Simulates the campaigns of a seed on a virtual clock, with three replicas that stall and die, a faulty telephone, and a checker of every call. */
export async function simulateCampaign({ seed, contacts, sabotage = {}, until }: SimulationOptions): Promise<Simulated> {
  const [begun, cpuBegun] = [performance.now(), process.cpuUsage()];
  const scenario = drawScenario(seed, contacts);
  const simulation = new Simulation(scenario, new Chance(seed + 1_000_000), sabotage);
  const figures = await simulation.run(until);
  const { user, system } = process.cpuUsage(cpuBegun);
  return { seed, contacts, seconds: (performance.now() - begun) / 1000, cpuSeconds: (user + system) / 1e6, ...figures };
}

class Simulation {
  private readonly time: VirtualTime;
  private readonly listed: Set<string>;
  private readonly store: MemoryCampaignStore;
  private readonly checker: RuleChecker;
  private readonly replicas: Replica[];
  private readonly ids: readonly number[];
  private readonly hours = new Map<number, JudgedHours>();
  private steps = 0;
  private recounts = 0;
  private pauses = 0;
  private isOver = false;

  constructor(
    private readonly scenario: CampaignScenario,
    private readonly chance: Chance,
    sabotage: Sabotage,
  ) {
    this.time = new VirtualTime(scenario.startsAt);
    this.listed = new Set(scenario.listed);
    const isListed = (number: string): boolean => this.listed.has(number);
    this.store = new MemoryCampaignStore(this.time.now, sabotage.isListed ?? isListed);
    this.checker = new RuleChecker(this.time.now, isListed);
    this.ids = scenario.campaigns.map(({ campaign }) => campaign.id);
    for (const { campaign, contacts } of scenario.campaigns) {
      this.store.add(sabotage.campaign?.(campaign) ?? campaign, contacts);
      this.hours.set(campaign.id, judgedHours(campaign, usualLegalHours));
      const hours = (): JudgedHours => this.hours.get(campaign.id) ?? new Map();
      this.checker.watch({ campaign, hours, status: () => this.store.campaign(campaign.id).status });
    }
    for (const { at, legalHours } of scenario.narrowings) this.time.after(at - scenario.startsAt, () => this.narrow(legalHours));
    for (const { at, campaignId, status } of scenario.statuses)
      this.time.after(at - scenario.startsAt, () => this.order(campaignId, status));
    const telephone = new FaultyTelephone({ ...this.telephoneParts(sabotage.isListed ?? isListed), ...sabotage.parts });
    const ports = {
      store: sabotage.store?.(this.store) ?? this.store,
      telephone: sabotage.telephone?.(telephone) ?? telephone,
    };
    this.replicas = Array.from(
      { length: replicaCount },
      () =>
        new Replica({ time: this.time, chance, faultRates: scenario.replicaFaults, ...ports, afterStep: () => this.checkStep() }),
    );
  }

  async run(until?: Rule): Promise<Omit<Simulated, 'seed' | 'contacts' | 'seconds' | 'cpuSeconds'>> {
    const { startsAt } = this.scenario;
    const deadline = startsAt + daysMax * dayMs;
    const isShown = (): boolean => until !== undefined && this.checker.violations.has(until);
    await this.time.run(() => this.time.now() > deadline || this.isOver || isShown());
    if (!isShown()) for (const id of this.ids) this.judgeEnd(id);
    const sum = (count: (replica: Replica) => number): number => this.replicas.reduce((all, each) => all + count(each), 0);
    return {
      virtualHours: (this.time.now() - startsAt) / 3_600_000,
      ...this.checker.figures(),
      crashes: sum(({ crashes }) => crashes),
      stalls: sum(({ stalls }) => stalls),
      troubles: sum(({ troubles }) => troubles),
      steps: this.steps,
      recounts: this.recounts,
      unknown: this.ids.reduce((all, id) => all + this.store.tally(id).outcomes.UNKNOWN, 0),
      pauses: this.pauses,
      violations: [...this.checker.violations.values()].flat(),
    };
  }

  private telephoneParts(isListed: (number: string) => boolean): TelephoneParts {
    const { telephoneFaults: faultRates, people, refusedCallers, outage } = this.scenario;
    const campaignOf = (id: number) => this.store.campaign(id);
    return {
      ...{ time: this.time, chance: this.chance, checker: this.checker, faultRates, people, refusedCallers, outage, isListed },
      isHeld: (claim) => this.store.isHeld(claim),
      list: (number) => this.listed.add(number),
      book: (reference, at) => void this.store.book(reference, at),
      tell: (news) => this.replicas[this.chance.between(0, replicaCount - 1)]?.hear(news),
      conversationsMax: (id) => campaignOf(id).pacing.conversationsMax,
      creditsMax: (id) => campaignOf(id).credits?.perCall ?? 5,
    };
  }

  /** Changes the organization's legal hours. */
  private narrow(legalHours: CallingRules['legalHours']): void {
    for (const { campaign } of this.scenario.campaigns) {
      this.store.setLegalHours(campaign.orgId, legalHours);
      this.hours.set(campaign.id, judgedHours(campaign, legalHours));
    }
  }

  /** Changes the status as an operator would: resumes only paused campaigns, pauses only running ones. */
  private order(campaignId: number, status: 'PAUSED' | 'RUNNING' | 'CANCELLED'): void {
    const is = this.store.campaign(campaignId).status;
    const isMeant = status === 'RUNNING' ? is === 'PAUSED' : is === 'RUNNING' || (is === 'PAUSED' && status === 'CANCELLED');
    if (isMeant) this.store.setStatus(campaignId, status);
  }

  /** After a while, resumes a campaign that paused by itself, or cancels one that cannot continue. */
  private attend(campaignId: number): void {
    const { pausedSays, status } = this.store.campaign(campaignId);
    if (pausedSays === undefined || status !== 'PAUSED') return;
    this.pauses += 1;
    const isFailing = pausedSays.includes('calls failed');
    if (!isFailing) return this.store.setStatus(campaignId, 'CANCELLED');
    this.store.setStatus(campaignId, 'RUNNING');
  }

  private checkStep(): void {
    this.steps += 1;
    this.isOver = this.areAllOver();
    for (const id of this.ids) {
      const { contacts } = this.store.tally(id);
      const count = Object.values(contacts).reduce((sum, each) => sum + each, 0);
      if (this.steps % Math.ceil(count / contactsRecountedAtEveryStep) === 0) this.recount(id);
      if (this.store.campaign(id).pausedSays !== undefined && this.chance.isLucky(0.02)) this.attend(id);
    }
  }

  private recount(id: number): void {
    this.recounts += 1;
    const { contacts, outcomes, pending, ringing, talking } = this.store.tally(id);
    const counted = { contacts, outcomes, pending, ringing, talking };
    const recounted = this.store.recount(id);
    const isEqual = isDeepStrictEqual(counted, recounted);
    this.checker.require(isEqual, 'figures differ from a recount', JSON.stringify({ counted, recounted }));
  }

  private areAllOver(): boolean {
    return this.ids.every((id) => {
      const { status } = this.store.campaign(id);
      const { WAITING, ACTIVE } = this.store.tally(id).contacts;
      return (status === 'COMPLETED' || status === 'CANCELLED') && WAITING + ACTIVE === 0;
    });
  }

  private judgeEnd(id: number): void {
    const { WAITING, ACTIVE } = this.store.tally(id).contacts;
    const { status } = this.store.campaign(id);
    this.checker.require(
      WAITING + ACTIVE === 0,
      'not final',
      `campaign ${id} is ${status}, ${WAITING} wait, ${ACTIVE} are active`,
    );
    this.recount(id);
  }
}
