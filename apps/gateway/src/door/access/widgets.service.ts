import { randomBytes } from 'node:crypto';
import { Controller, Injectable } from '@nestjs/common';
import {
  afterSave,
  type BodyOf,
  deleteWidget,
  Fault,
  getWidget,
  listWidgets,
  notThere,
  type Principal,
  saveWidget,
  widgetChanged,
  WidgetFields,
} from '@parley/contracts';
import { type Page, pageOf, TenantScope } from '@parley/database';
import { Broadcasts, type Call, Handles } from '@parley/messaging';
import { Column, Entity, type EntityManager, PrimaryGeneratedColumn } from 'typeorm';
import type { z } from 'zod';
import { KeyOwners, requireUnbounded } from './key-owners';
import { callerOf } from '../../endpoint/gateway-call';

type SaveWidgetRequest = z.output<(typeof saveWidget)['request']>;
type ListWidgetsRequest = z.output<(typeof listWidgets)['request']>;

const widgetsMax = 1_000;
const columns = { CreatedOn: 'widget.createdOn', UpdatedOn: 'widget.updatedOn', name: 'widget.name' } as const;

/** The widgets of organizations. */
@Injectable()
export class WidgetsService {
  constructor(
    private readonly tenants: TenantScope,
    private readonly owners: KeyOwners,
    private readonly broadcasts: Broadcasts,
  ) {}

  /** A widget is open to everyone for as long as it exists: a key with an expiry or an address list may not create one. */
  async save({ WidgetKeyID, ...sent }: SaveWidgetRequest, caller: Principal): Promise<WidgetRow> {
    const { orgId } = caller;
    const merged = (before: WidgetRow | null) =>
      afterSave(WidgetFields, before && { ...before, AgentKeyID: before.agentKeyId }, sent);
    const { AgentKeyID } = merged(WidgetKeyID ? await this.get(WidgetKeyID, caller) : null);
    // Ask the other service before the transaction, so that no lock waits for it.
    const { agentId } = await this.owners.ownerOf({ kind: 'agt', AgentKeyID }, caller);
    if (agentId === null) throw notThere('agent');
    const saved = await this.tenants.run(orgId, async (manager) => {
      await requireUnbounded(manager, caller, 'A widget');
      // Read again under a lock, so that concurrent saves keep each other's fields.
      const before = WidgetKeyID ? await widgetOf(manager, caller, WidgetKeyID, 'locked') : null;
      const { AgentKeyID: agentKeyId, ...fields } = merged(before);
      const values = { ...fields, agentKeyId, agentId: before?.agentKeyId === agentKeyId ? before.agentId : agentId };
      if (!before) return insert(manager, orgId, values);
      await manager.update(WidgetRow, { orgId, keyId: before.keyId }, { ...values, updatedOn: new Date() });
      return widgetOf(manager, caller, before.keyId);
    });
    if (WidgetKeyID) this.tellChange(saved);
    return saved;
  }

  list(query: ListWidgetsRequest, { orgId, agentIds }: Principal): Promise<Page<WidgetRow>> {
    return this.tenants.read(orgId, (manager) => {
      const widgets = manager.createQueryBuilder(WidgetRow, 'widget').where({ orgId });
      if (agentIds) widgets.andWhere('widget.agentId = ANY(:agentIds)', { agentIds });
      return pageOf(widgets, query, { by: columns[query.sortColumn] });
    });
  }

  get(keyId: string, caller: Principal): Promise<WidgetRow> {
    return this.tenants.read(caller.orgId, (manager) => widgetOf(manager, caller, keyId));
  }

  async delete(keyId: string, caller: Principal): Promise<WidgetRow> {
    const deleted = await this.tenants.run(caller.orgId, async (manager) => {
      const widget = await widgetOf(manager, caller, keyId);
      await manager.delete(WidgetRow, { orgId: caller.orgId, keyId });
      return widget;
    });
    this.tellChange(deleted);
    return deleted;
  }

  /** Sent after the commit, because receivers read the widget. */
  private tellChange({ orgId, keyId: WidgetKeyID }: WidgetRow): void {
    this.broadcasts.announce(widgetChanged, { orgId, payload: { WidgetKeyID } });
  }

  /** The widget that a token was issued for. */
  async ofToken(orgId: number, keyId: string): Promise<WidgetRow | undefined> {
    return (await this.tenants.read(orgId, (manager) => manager.findOneBy(WidgetRow, { orgId, keyId }))) ?? undefined;
  }

  /** The widget that a page names, if it is active and may be embedded by the page's origin. */
  async embedded(publicId: string, origin: string): Promise<WidgetRow | undefined> {
    const widget = await this.tenants.acrossTenants('a page knows its widget and not the organization', (manager) =>
      manager.findOneBy(WidgetRow, { publicId, isActive: true }),
    );
    return widget && isEmbeddable(widget.allowedOrigins, origin) ? widget : undefined;
  }
}

async function insert(manager: EntityManager, orgId: number, values: Partial<WidgetRow>): Promise<WidgetRow> {
  const count = await manager.countBy(WidgetRow, { orgId });
  if (count >= widgetsMax) throw new Fault('CONFLICT', { message: `An organization has at most ${widgetsMax} widgets.` });
  const publicId = `wdg_${randomBytes(12).toString('base64url')}`;
  const { identifiers } = await manager.insert(WidgetRow, { ...values, orgId, publicId });
  return manager.findOneByOrFail(WidgetRow, { ...identifiers[0], orgId });
}

/** To the caller, widgets of agents it has no access to do not exist. */
async function widgetOf(
  manager: EntityManager,
  { orgId, agentIds }: Principal,
  keyId: string,
  locked?: 'locked',
): Promise<WidgetRow> {
  const row = await manager.findOne(WidgetRow, {
    where: { orgId, keyId },
    ...(locked && { lock: { mode: 'pessimistic_write' } }),
  });
  if (!row || (agentIds && !agentIds.includes(row.agentId))) throw notThere('widget');
  return row;
}

/** A chat widget that pages of its allowed origins may embed. */
@Entity({ name: 'widgets' })
export class WidgetRow {
  @PrimaryGeneratedColumn('identity', { generatedIdentity: 'ALWAYS' })
  id: number;

  @Column('int')
  orgId: number;

  @Column('uuid', { default: () => 'gen_random_uuid()' })
  keyId: string;

  @Column('text')
  publicId: string;

  @Column('text')
  name: string;

  @Column('uuid')
  agentKeyId: string;

  @Column('int')
  agentId: number;

  @Column('text', { array: true })
  allowedOrigins: string[];

  @Column('boolean')
  isActive: boolean;

  /** The variables that visitors may set. */
  @Column('text', { array: true, default: () => "'{}'" })
  variables: string[];

  @Column('int', { default: 200_000 })
  dailyCredits: number;

  @Column('timestamptz', { default: () => 'now()' })
  createdOn: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updatedOn: Date;
}

/** Whether pages of an origin may embed a widget. Browsers send it in ASCII and without a usual port, however it was entered. */
export function isEmbeddable(allowedOrigins: readonly string[], origin: string): boolean {
  return allowedOrigins.some((allowed) => URL.parse(allowed)?.origin === origin.toLowerCase());
}

/** Handles requests about widgets on the bus. */
@Controller()
export class WidgetsController {
  constructor(private readonly widgets: WidgetsService) {}

  @Handles(saveWidget)
  async save(body: BodyOf<typeof saveWidget>, call: Call) {
    return shown(await this.widgets.save(body, callerOf(call)));
  }

  @Handles(listWidgets)
  async list(body: BodyOf<typeof listWidgets>, call: Call) {
    const page = await this.widgets.list(body, callerOf(call));
    return { ...page, rows: page.rows.map(shown) };
  }

  @Handles(getWidget)
  async get({ WidgetKeyID }: { WidgetKeyID: string }, call: Call) {
    return shown(await this.widgets.get(WidgetKeyID, callerOf(call)));
  }

  @Handles(deleteWidget)
  async delete({ WidgetKeyID }: { WidgetKeyID: string }, call: Call) {
    return shown(await this.widgets.delete(WidgetKeyID, callerOf(call)));
  }
}

function shown(widget: WidgetRow) {
  const { keyId, id, publicId, name, agentKeyId, agentId, allowedOrigins, isActive } = widget;
  const { variables, dailyCredits, createdOn, updatedOn } = widget;
  return {
    WidgetKeyID: keyId,
    WidgetID: id,
    publicId,
    name,
    AgentKeyID: agentKeyId,
    AgentID: agentId,
    allowedOrigins,
    isActive,
    variables,
    dailyCredits,
    CreatedOn: createdOn.toISOString(),
    UpdatedOn: updatedOn.toISOString(),
  };
}
