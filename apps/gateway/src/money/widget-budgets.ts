import { Injectable } from '@nestjs/common';
import { Fault } from '@parley/contracts';
import { TenantScope } from '@parley/database';

/** A widget, and what its visitors may use of all kinds of credit together in a day (UTC). */
export interface BudgetedWidget {
  readonly orgId: number;
  readonly keyId: string;
  readonly dailyCredits: number;
}

/** The daily allowance of widgets' visitors. Stored in Postgres, so that all gateways together do not exceed it. */
@Injectable()
export class WidgetBudgets {
  constructor(private readonly tenants: TenantScope) {}

  /** Sets so much of today aside, or refuses with RATE_LIMITED where there is not so much left. */
  async take({ orgId, keyId, dailyCredits }: BudgetedWidget, credits: number): Promise<void> {
    const taken = await this.write(orgId, takeFromDay, [orgId, keyId, credits, dailyCredits]);
    if (taken.length === 0) throw dayIsSpent();
  }

  /** Adds the difference, possibly negative, between usage and reservation; returns whether the day's allowance still lasts. */
  async correct({ orgId, keyId, dailyCredits }: BudgetedWidget, credits: number): Promise<boolean> {
    const [day] = await this.write(orgId, addToDay, [orgId, keyId, credits]);
    return Number(day?.units ?? 0) < dailyCredits;
  }

  private write(orgId: number, statement: string, values: unknown[]): Promise<{ units: string }[]> {
    return this.tenants.run(orgId, (manager) => manager.query(statement, values));
  }
}

/** Adds what a session uses to the day of its widget, one write at a time. */
export class DaySpending {
  private unwritten = 0;
  private isWriting = false;

  constructor(
    private readonly budgets: WidgetBudgets,
    private readonly widget: BudgetedWidget,
    private readonly onSpent: () => void,
  ) {}

  add(credits: number): void {
    this.unwritten += credits;
    if (!this.isWriting) void this.write();
  }

  /** What cannot be written now is added to the next write. */
  private async write(): Promise<void> {
    this.isWriting = true;
    while (this.unwritten > 0) {
      const credits = this.unwritten;
      this.unwritten = 0;
      const hasRoom = await this.budgets.correct(this.widget, credits).catch(() => undefined);
      if (hasRoom === false) this.onSpent();
      if (hasRoom !== undefined) continue;
      this.unwritten += credits;
      break;
    }
    this.isWriting = false;
  }
}

/** The error for a visitor of a widget whose daily allowance is used up. */
export function dayIsSpent(): Fault {
  const now = new Date();
  const midnight = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1);
  const retryAfterSeconds = Math.ceil((midnight - now.getTime()) / 1_000);
  return new Fault('RATE_LIMITED', { message: 'This widget has used its budget of today.', retryAfterSeconds });
}

const keptDays = 7;
const today = `(now() AT TIME ZONE 'UTC')::date`;

const takeFromDay = `
  WITH old AS (DELETE FROM widget_days WHERE org_id = $1 AND widget_key = $2 AND day < ${today} - ${keptDays})
  INSERT INTO widget_days AS d (org_id, widget_key, day, units) SELECT $1, $2, ${today}, $3::bigint WHERE $3::bigint <= $4::bigint
  ON CONFLICT (org_id, widget_key, day) DO UPDATE SET units = d.units + EXCLUDED.units WHERE d.units + EXCLUDED.units <= $4::bigint
  RETURNING units`;

const addToDay = `
  INSERT INTO widget_days AS d (org_id, widget_key, day, units) VALUES ($1, $2, ${today}, greatest(0, $3::bigint))
  ON CONFLICT (org_id, widget_key, day) DO UPDATE SET units = greatest(0, d.units + $3::bigint) RETURNING units`;
