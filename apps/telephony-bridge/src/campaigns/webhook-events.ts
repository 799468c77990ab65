import { randomUUID } from 'node:crypto';
import type { campaignWebhookTypes } from '@parley/contracts';
import type { EntityManager } from 'typeorm';
import { type Campaign, CampaignContact } from './campaign.entity';
import type { CampaignStatus } from './plan/campaign';
import { type ContactCounts, recordOf, shownContact } from './campaign.wire';
import { finalStates } from './plan/campaign';

type EventType = (typeof campaignWebhookTypes)[number];

/** How long a receiver may be unavailable. */
const givenUpAfter = '24 hours';

interface WebhookMessage {
  readonly type: EventType;
  readonly about: object;
}

const typeOfStatus: { readonly [status in CampaignStatus]?: EventType } = {
  RUNNING: 'campaign.resumed',
  PAUSED: 'campaign.paused',
  COMPLETED: 'campaign.completed',
  CANCELLED: 'campaign.cancelled',
};

/** Queues the event in the transaction that changes the state, so that a change is reported if and only if it is committed. */
export async function tellStatus(
  manager: EntityManager,
  campaign: Campaign,
  { before, counts }: { readonly before: CampaignStatus; readonly counts: ContactCounts },
): Promise<void> {
  const type = campaign.status === 'RUNNING' && before === 'DRAFT' ? 'campaign.started' : typeOfStatus[campaign.status];
  if (!type) return;
  const { status, statusReason, contactCount, progress } = recordOf(campaign, counts);
  await queueEvents(manager, campaign, () => [{ type, about: { status, statusReason, contactCount, progress } }]);
}

/** Reports those of a campaign's contacts that are finished. */
export async function queueFinished(manager: EntityManager, campaign: Campaign, ids: readonly number[]): Promise<void> {
  await queueEvents(manager, campaign, async () => {
    const contacts = await manager
      .createQueryBuilder(CampaignContact, 'c')
      .where('c.id = ANY(:ids) AND c.state = ANY(:finalStates)', { ids, finalStates })
      .orderBy('c.id')
      .getMany();
    return contacts.map((contact) => ({ type: 'campaign.contact.finished', about: { contact: shownContact(unnamed(contact)) } }));
  });
}

/** A deleted contact as its row will be once it is erased: whoever receives an event could not be told to forget it. */
function unnamed(contact: CampaignContact): CampaignContact {
  if (!contact.isWithdrawn) return contact;
  return { ...contact, name: '', number: `deleted-${contact.id}`, variables: {}, result: null, resultReason: null };
}

async function queueEvents(
  manager: EntityManager,
  { orgId, id, keyId, name }: Campaign,
  eventsOf: () => readonly WebhookMessage[] | Promise<readonly WebhookMessage[]>,
): Promise<void> {
  const webhooks: { id: number }[] = await manager.query(
    'SELECT id FROM campaign_webhooks WHERE org_id = $1 AND is_active AND (campaign_id IS NULL OR campaign_id = $2)',
    [orgId, id],
  );
  if (webhooks.length === 0) return;
  const events = (await eventsOf()).map(({ type, about }) => {
    const eventId = randomUUID();
    const campaign = { CampaignKeyID: keyId, CampaignID: id, CampaignName: name };
    return {
      eventId,
      type,
      body: JSON.stringify({ id: eventId, type, createdOn: new Date().toISOString(), ...campaign, ...about }),
    };
  });
  if (events.length === 0) return;
  const webhookIds = webhooks.map((webhook) => webhook.id);
  await manager.query(
    `INSERT INTO campaign_webhook_events (event_id, org_id, webhook_id, campaign_id, type, body, give_up_at)
     SELECT event.event_id, $1, webhook_id, $2, event.type, event.body, clock_timestamp() + $7::interval
     FROM unnest($3::uuid[], $4::text[], $5::text[]) WITH ORDINALITY AS event(event_id, type, body, place)
     CROSS JOIN unnest($6::int[]) AS webhook_id ORDER BY event.place`,
    [
      ...[orgId, id, events.map(({ eventId }) => eventId), events.map(({ type }) => type), events.map(({ body }) => body)],
      ...[webhookIds, givenUpAfter],
    ],
  );
  // Locks the row, so that a sender that found the queue empty cannot delete it now.
  await manager.query(
    `INSERT INTO campaign_webhook_queues (webhook_id, campaign_id, org_id)
     SELECT webhook_id, $2, $1 FROM unnest($3::int[]) AS webhook_id ORDER BY webhook_id
     ON CONFLICT (webhook_id, campaign_id) DO UPDATE SET org_id = excluded.org_id`,
    [orgId, id, webhookIds],
  );
}
