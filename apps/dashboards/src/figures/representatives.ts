import { Injectable } from '@nestjs/common';
import { Fault, listRepresentatives, listSalesUserChoices } from '@parley/contracts';
import { type Call, organizationOf, ServiceBus } from '@parley/messaging';

/** A representative as figures name it. */
export interface Representative {
  readonly SalesUserKeyID: string;
  readonly SalesUserID: number;
  readonly name: string;
}

interface Team {
  readonly working: ReadonlySet<number>;
  readonly everybody: ReadonlyMap<number, Representative>;
  readonly staleAtMs: number;
}

const rememberedMs = 10_000;
const rememberedMax = 1000;
const pageSize = 200;
const pagesMax = 50;

/** The representatives of organizations, those who left included: their calls still count. */
@Injectable()
export class Representatives {
  private readonly remembered = new Map<number, Team>();

  constructor(private readonly bus: ServiceBus) {}

  /** Who works there now or is among `counted`; with `asked`, those alone. One that never was is NOT_FOUND. */
  async of(asked: readonly number[] | undefined, counted: readonly number[], call: Call): Promise<Representative[]> {
    const team = await this.team(call, asked ?? counted);
    if (asked?.some((id) => !team.everybody.has(id)))
      throw new Fault('NOT_FOUND', { message: 'There is no such sales representative.' });
    const ids = asked ?? [...team.working, ...counted];
    return [...new Set(ids)].flatMap((id) => team.everybody.get(id) ?? []);
  }

  private async team(call: Call, wanted: readonly number[]): Promise<Team> {
    const orgId = organizationOf(call);
    const known = this.remembered.get(orgId);
    if (known && known.staleAtMs > Date.now() && wanted.every((id) => known.everybody.has(id))) return known;
    const working = await this.bus.ask(listSalesUserChoices, {});
    const everybody = new Map(working.map((each) => [each.SalesUserID, each]));
    if (!wanted.every((id) => everybody.has(id))) for (const each of await this.left()) everybody.set(each.SalesUserID, each);
    const team = {
      working: new Set(working.map(({ SalesUserID }) => SalesUserID)),
      everybody,
      staleAtMs: Date.now() + rememberedMs,
    };
    if (this.remembered.size >= rememberedMax) this.remembered.clear();
    this.remembered.set(orgId, team);
    return team;
  }

  private async left(): Promise<Representative[]> {
    const found: Representative[] = [];
    for (let pageNo = 1; pageNo <= pagesMax; pageNo += 1) {
      const { rows } = await this.bus.ask(listRepresentatives, { userStatus: 'INACTIVE', pageNo, pageSize });
      found.push(...rows.map(({ SalesUserKeyID, SalesUserID, name }) => ({ SalesUserKeyID, SalesUserID, name })));
      if (rows.length < pageSize) break;
    }
    return found;
  }
}
