import { randomUUID } from 'node:crypto';
import { Controller, Injectable } from '@nestjs/common';
import {
  deleteCampaignWebhook,
  Fault,
  isMaskedAddress,
  isPermitted,
  listCampaignWebhooks,
  listUndeliveredCampaignEvents,
  maskedAddress,
  notThere,
  retryCampaignWebhook,
  saveCampaignWebhook,
  secretMask,
  testCampaignWebhook,
  holdsNoPassword,
  unmaskedAddress,
} from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { type Call, type HandlerOf, Handles, wholeOrganizationOf } from '@parley/messaging';
import { SealedSecrets, whyRefused } from '@parley/service-kit';
import type { EntityManager } from 'typeorm';
import type { z } from 'zod';
import { findSeen } from '../campaign-records';
import { Campaign, CampaignWebhook, sealPlaceOf } from '../campaign.entity';
import { WebhookReach, WebhookSender } from './webhook-sender';

type SaveCampaignWebhookRequest = z.output<typeof saveCampaignWebhook.request>;
type PublicWebhook = z.input<typeof deleteCampaignWebhook.reply>;
type ListUndeliveredCampaignEventsRequest = z.output<typeof listUndeliveredCampaignEvents.request>;
type ListUndeliveredCampaignEventsReply = z.input<typeof listUndeliveredCampaignEvents.reply>;

interface EventRow {
  readonly eventId: string;
  readonly type: ListUndeliveredCampaignEventsReply['rows'][number]['type'];
  readonly campaignKey: string;
  readonly campaignId: number;
  readonly tries: number;
  readonly lastFailure: string | null;
  readonly givenUpOn: Date | null;
  readonly createdOn: Date;
}

const webhooksMax = 20;

/** The addresses that receive an organization's campaign events. */
@Injectable()
export class CampaignWebhooks {
  constructor(
    private readonly tenants: TenantScope,
    private readonly seals: SealedSecrets,
    private readonly reach: WebhookReach,
    private readonly sender: WebhookSender,
  ) {}

  async save(wanted: SaveCampaignWebhookRequest, call: Call): Promise<PublicWebhook> {
    const orgId = wholeOrganizationOf(call, 'Webhooks');
    if (wanted.url === undefined || !isMaskedAddress(wanted.url)) await this.requireReach(wanted.url);
    return this.tenants.run(orgId, async (manager) => {
      const { WebhookKeyID: keyId, CampaignKeyID, url, secret, isActive } = wanted;
      const webhook = keyId ? await lock(manager, orgId, keyId) : await fresh(manager, orgId);
      if (CampaignKeyID !== undefined)
        webhook.campaignId = CampaignKeyID === null ? null : (await findSeen(manager, CampaignKeyID, call)).id;
      webhook.url = url === undefined ? webhook.url : unmaskedAddress(url, webhook.url);
      if (isMaskedAddress(webhook.url))
        throw new Fault('VALIDATION_FAILED', {
          details: [{ field: 'url', message: 'is masked, but none is stored at its origin' }],
        });
      webhook.isActive = isActive ?? webhook.isActive;
      if (secret !== undefined && secret !== secretMask) webhook.sealed = this.seals.seal(secret, sealPlaceOf(webhook));
      if (!webhook.sealed)
        throw new Fault('VALIDATION_FAILED', { details: [{ field: 'secret', message: 'is masked, but none is stored' }] });
      webhook.updatedOn = new Date();
      return shown(call, manager, await manager.save(CampaignWebhook, webhook));
    });
  }

  list(call: Call): Promise<PublicWebhook[]> {
    const orgId = wholeOrganizationOf(call, 'Webhooks');
    return this.tenants.read(orgId, async (manager) => {
      const webhooks = await manager.find(CampaignWebhook, { where: { orgId }, order: { id: 'ASC' } });
      const all: PublicWebhook[] = [];
      for (const webhook of webhooks) all.push(await shown(call, manager, webhook));
      return all;
    });
  }

  delete(keyId: string, call: Call): Promise<PublicWebhook> {
    const orgId = wholeOrganizationOf(call, 'Webhooks');
    return this.tenants.run(orgId, async (manager) => {
      const webhook = await find(manager, orgId, keyId);
      const last = await shown(call, manager, webhook);
      await manager.delete(CampaignWebhook, { id: webhook.id });
      return last;
    });
  }

  /** Sends a test event and returns the receiver's response. */
  async test(keyId: string, call: Call): Promise<z.input<typeof testCampaignWebhook.reply>> {
    const orgId = wholeOrganizationOf(call, 'Webhooks');
    const webhook = await this.tenants.read(orgId, (manager) => find(manager, orgId, keyId));
    const eventId = randomUUID();
    const ofNone = { CampaignKeyID: null, CampaignID: null, CampaignName: null };
    const event = { id: eventId, type: 'campaign.test', createdOn: new Date().toISOString(), ...ofNone };
    const begin = performance.now();
    const { status = null, failure = null } = await this.sender.post({
      ...{ eventId, type: event.type, body: JSON.stringify(event) },
      ...{ url: webhook.url, sealed: webhook.sealed, orgId, keyId },
    });
    return { EventID: eventId, isTaken: failure === null, status, failure, durationMs: Math.round(performance.now() - begin) };
  }

  /** Resumes deliveries that were given up, for another day. */
  async retry(keyId: string, call: Call): Promise<PublicWebhook> {
    const orgId = wholeOrganizationOf(call, 'Webhooks');
    const retried = await this.tenants.run(orgId, async (manager) => {
      const webhook = await find(manager, orgId, keyId);
      await manager.query(
        `WITH again AS (UPDATE campaign_webhook_events SET given_up_on = NULL, give_up_at = clock_timestamp() + interval '24 hours'
           WHERE webhook_id = $1 AND given_up_on IS NOT NULL RETURNING campaign_id)
         INSERT INTO campaign_webhook_queues (webhook_id, campaign_id, org_id)
         SELECT DISTINCT $1::int, campaign_id, $2::int FROM again ON CONFLICT (webhook_id, campaign_id) DO UPDATE SET due_at = clock_timestamp()`,
        [webhook.id, orgId],
      );
      return shown(call, manager, webhook);
    });
    this.sender.wake();
    return retried;
  }

  undelivered(
    { WebhookKeyID, pageNo, pageSize, sortOrder }: ListUndeliveredCampaignEventsRequest,
    call: Call,
  ): Promise<ListUndeliveredCampaignEventsReply> {
    const orgId = wholeOrganizationOf(call, 'Webhooks');
    return this.tenants.read(orgId, async (manager) => {
      const { id } = await find(manager, orgId, WebhookKeyID);
      const counted: { count: number }[] = await manager.query(
        'SELECT count(*)::int AS count FROM campaign_webhook_events WHERE webhook_id = $1',
        [id],
      );
      const rows: EventRow[] = await manager.query(
        `SELECT e.event_id AS "eventId", e.type, c.key_id AS "campaignKey", c.id AS "campaignId", e.tries, e.last_failure AS "lastFailure",
           e.given_up_on AS "givenUpOn", e.created_on AS "createdOn"
         FROM campaign_webhook_events e JOIN campaigns c ON c.id = e.campaign_id
         WHERE e.webhook_id = $1 ORDER BY e.id ${sortOrder === 'ASC' ? 'ASC' : 'DESC'} LIMIT $2 OFFSET $3`,
        [id, pageSize, (pageNo - 1) * pageSize],
      );
      return { rows: rows.map(eventOf), totalCount: counted[0]?.count ?? 0, pageNo, pageSize };
    });
  }

  /** Throws if the address may never be reached. A name that does not resolve yet is accepted, since it may later. */
  private async requireReach(url?: string): Promise<void> {
    if (url === undefined) return;
    const address = new URL(url);
    if (!holdsNoPassword(url))
      throw new Fault('VALIDATION_FAILED', { details: [{ field: 'url', message: 'must hold no user name and no password' }] });
    const refusal = await whyRefused(this.reach.policy, address);
    if (refusal === undefined) return;
    throw new Fault('VALIDATION_FAILED', { details: [{ field: 'url', message: `cannot be called: ${refusal}` }] });
  }
}

async function fresh(manager: EntityManager, orgId: number): Promise<CampaignWebhook> {
  if ((await manager.countBy(CampaignWebhook, { orgId })) >= webhooksMax)
    throw new Fault('CONFLICT', { message: `An organization has at most ${webhooksMax} webhooks.` });
  return manager.create(CampaignWebhook, { orgId, keyId: randomUUID(), campaignId: null, isActive: true, sealed: '' });
}

async function find(manager: EntityManager, orgId: number, keyId: string): Promise<CampaignWebhook> {
  const webhook = await manager.findOneBy(CampaignWebhook, { orgId, keyId });
  if (!webhook) throw notThere('webhook');
  return webhook;
}

/** Locks a webhook until the end of the transaction. */
async function lock(manager: EntityManager, orgId: number, keyId: string): Promise<CampaignWebhook> {
  const webhook = await manager.findOne(CampaignWebhook, { where: { orgId, keyId }, lock: { mode: 'pessimistic_write' } });
  if (!webhook) throw notThere('webhook');
  return webhook;
}

/** A webhook in the form for clients. The path and query of its URL are shown only to those who may change it. */
async function shown(call: Call, manager: EntityManager, webhook: CampaignWebhook): Promise<PublicWebhook> {
  const counts: { waiting: number; givenUp: number }[] = await manager.query(
    `SELECT count(*) FILTER (WHERE given_up_on IS NULL)::int AS waiting, count(given_up_on)::int AS "givenUp"
     FROM campaign_webhook_events WHERE webhook_id = $1`,
    [webhook.id],
  );
  const campaign = webhook.campaignId === null ? null : await manager.findOneBy(Campaign, { id: webhook.campaignId });
  return {
    WebhookKeyID: webhook.keyId,
    WebhookID: webhook.id,
    CampaignKeyID: campaign?.keyId ?? null,
    CampaignID: webhook.campaignId,
    url: mayChange(call) ? webhook.url : maskedAddress(webhook.url),
    secret: secretMask,
    isActive: webhook.isActive,
    waitingCount: counts[0]?.waiting ?? 0,
    givenUpCount: counts[0]?.givenUp ?? 0,
    lastDeliveredOn: webhook.lastDeliveredOn?.toISOString() ?? null,
    lastFailure: webhook.lastFailure,
    CreatedOn: webhook.createdOn.toISOString(),
    UpdatedOn: webhook.updatedOn.toISOString(),
  };
}

const mayChange = ({ principal }: Call): boolean => principal !== undefined && isPermitted(principal, 'integrations.CanUpdate');

function eventOf({
  eventId,
  type,
  campaignKey,
  campaignId,
  tries,
  lastFailure,
  givenUpOn,
  createdOn,
}: EventRow): ListUndeliveredCampaignEventsReply['rows'][number] {
  return {
    EventID: eventId,
    type,
    CampaignKeyID: campaignKey,
    CampaignID: campaignId,
    attempts: tries,
    lastFailure,
    givenUpOn: givenUpOn?.toISOString() ?? null,
    CreatedOn: createdOn.toISOString(),
  };
}

type SaveCampaignWebhookHandler = HandlerOf<typeof saveCampaignWebhook>;
type ListCampaignWebhooksHandler = HandlerOf<typeof listCampaignWebhooks>;
type DeleteCampaignWebhookHandler = HandlerOf<typeof deleteCampaignWebhook>;
type Undelivered = HandlerOf<typeof listUndeliveredCampaignEvents>;

/** Webhooks of campaigns over the bus. */
@Controller()
export class CampaignWebhooksController {
  constructor(private readonly webhooks: CampaignWebhooks) {}

  @Handles(saveCampaignWebhook)
  save(wanted: Parameters<SaveCampaignWebhookHandler>[0], call: Call): ReturnType<SaveCampaignWebhookHandler> {
    return this.webhooks.save(wanted, call);
  }

  @Handles(listCampaignWebhooks)
  list(_: Parameters<ListCampaignWebhooksHandler>[0], call: Call): ReturnType<ListCampaignWebhooksHandler> {
    return this.webhooks.list(call);
  }

  @Handles(deleteCampaignWebhook)
  delete({ WebhookKeyID }: Parameters<DeleteCampaignWebhookHandler>[0], call: Call): ReturnType<DeleteCampaignWebhookHandler> {
    return this.webhooks.delete(WebhookKeyID, call);
  }

  @Handles(testCampaignWebhook)
  test(
    { WebhookKeyID }: Parameters<DeleteCampaignWebhookHandler>[0],
    call: Call,
  ): ReturnType<HandlerOf<typeof testCampaignWebhook>> {
    return this.webhooks.test(WebhookKeyID, call);
  }

  @Handles(retryCampaignWebhook)
  retry({ WebhookKeyID }: Parameters<DeleteCampaignWebhookHandler>[0], call: Call): ReturnType<DeleteCampaignWebhookHandler> {
    return this.webhooks.retry(WebhookKeyID, call);
  }

  @Handles(listUndeliveredCampaignEvents)
  undelivered(query: Parameters<Undelivered>[0], call: Call): ReturnType<Undelivered> {
    return this.webhooks.undelivered(query, call);
  }
}
