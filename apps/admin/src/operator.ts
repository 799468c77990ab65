import { beginOperatorAction, endOperatorAction, Fault, listEveryOrganization, type Principal } from '@parley/contracts';
import type { ServiceBus } from '@parley/messaging';
import type { z } from 'zod';
import type { DeadEvents } from './dead-events';

type Organizations = z.output<typeof listEveryOrganization.reply>;

/** A change that an operator makes, as it is noted before it is tried. */
interface Action {
  readonly action: string;
  /** Absent for one of the whole installation, and for one that makes the organization. */
  readonly orgId?: number;
  readonly request: Readonly<Record<string, unknown>>;
}

/** How an action ended well: what the command answers, and what of it may be kept. No secret belongs into the second. */
interface Done<Result> {
  readonly result: Result;
  readonly kept: Readonly<Record<string, unknown>>;
  readonly orgId?: number;
}

/** A person at the command line, with a line to the services. Every change goes through `doing`, which notes it. */
export class Operator {
  constructor(
    readonly bus: ServiceBus,
    readonly deadEvents: DeadEvents,
    private readonly name: string,
  ) {}

  /** For whom a call is: an owner's rights in one organization, or nobody's in particular for the whole installation. */
  principal(orgId = 0): Principal {
    return Object.freeze({ kind: 'system', keyId: 'admin', orgId, roleTypeId: 1 });
  }

  /** Notes an action, does it, and notes how it ended. What cannot be noted is not done. */
  async doing<Result>({ action, orgId, request }: Action, work: () => Promise<Done<Result>>): Promise<Result> {
    const principal = this.principal();
    const attempt = { operator: this.name, action, OrgID: orgId ?? null, request };
    const begun = await this.bus.ask(beginOperatorAction, attempt, { principal });
    const end = (outcome: string, kept: Done<Result>['kept'], madeOrgId?: number): Promise<unknown> =>
      this.bus.ask(endOperatorAction, { ...begun, OrgID: orgId ?? madeOrgId ?? null, outcome, reply: kept }, { principal });
    let done: Done<Result>;
    try {
      done = await work();
    } catch (error) {
      await end(error instanceof Fault ? error.code : 'INTERNAL', {});
      throw error;
    }
    await end('OK', done.kept, done.orgId);
    return done.result;
  }

  /** Every organization, some hundred at a time. */
  async *organizations(): AsyncGenerator<Organizations[number]> {
    for (let afterOrgID = 0; ;) {
      const found = await this.bus.ask(listEveryOrganization, { afterOrgID, count: 200 }, { principal: this.principal() });
      yield* found;
      const last = found.at(-1);
      if (!last || found.length < 200) return;
      afterOrgID = last.OrgID;
    }
  }
}
