import { z } from 'zod';
import { defineRequest } from '../messages';
import {
  createdOnExample,
  described,
  listOf,
  Nothing,
  paging,
  requiredWhenNew,
  secret,
  secretMask,
  secretPath,
  text,
  Timestamp,
  updatedOnExample,
  Uuid,
  WebAddress,
  wholeListOf,
} from '../vocabulary';
import { campaignKey } from './campaigns';

const webhookKey = '8293a4b7-5263-4495-8ab1-3c5d7e9f1a30';
const eventId = '93a4b5c8-6374-45a6-9bc2-4d6e8fa02b41';
const Secret = secret(z.union([z.literal(secretMask), text(200).min(16)]));

/** The events that campaign webhooks receive. */
export const campaignWebhookTypes = [
  'campaign.started',
  'campaign.paused',
  'campaign.resumed',
  'campaign.completed',
  'campaign.cancelled',
  'campaign.contact.finished',
] as const;

const CampaignWebhook = described(
  'CampaignWebhook',
  'An address that is notified of campaign events.',
  z.object({
    WebhookKeyID: Uuid,
    WebhookID: z.int(),
    CampaignKeyID: Uuid.nullable(),
    CampaignID: z.int().nullable(),
    url: secretPath(z.string()),
    secret: secret(z.string()),
    isActive: z.boolean(),
    waitingCount: z.int().min(0),
    givenUpCount: z.int().min(0),
    lastDeliveredOn: Timestamp.nullable(),
    lastFailure: z.string().nullable(),
    CreatedOn: Timestamp,
    UpdatedOn: Timestamp,
  }),
  {
    WebhookKeyID: webhookKey,
    WebhookID: 4,
    CampaignKeyID: null,
    CampaignID: null,
    url: 'https://crm.example/parley',
    secret: secretMask,
    isActive: true,
    waitingCount: 0,
    givenUpCount: 0,
    lastDeliveredOn: updatedOnExample,
    lastFailure: null,
    CreatedOn: createdOnExample,
    UpdatedOn: updatedOnExample,
  },
);

/** An organization may have twenty; one more is CONFLICT. */
export const saveCampaignWebhook = defineRequest({
  subject: 'telephony-bridge.campaign-webhook.save',
  request: described(
    'SaveCampaignWebhookRequest',
    'A new webhook (`WebhookKeyID` null), which needs `url` and `secret`; or the changes to one.',
    z
      .object({
        WebhookKeyID: Uuid.nullish(),
        CampaignKeyID: Uuid.nullish(),
        url: secretPath(WebAddress).optional(),
        secret: Secret.optional(),
        isActive: z.boolean().optional(),
      })
      .superRefine(requiredWhenNew('WebhookKeyID', ['url', 'secret'])),
    { WebhookKeyID: null, CampaignKeyID: null, url: 'https://crm.example/parley', secret: 'at least sixteen characters' },
    { WebhookKeyID: webhookKey, isActive: false },
  ),
  reply: CampaignWebhook,
});

export const listCampaignWebhooks = defineRequest({
  subject: 'telephony-bridge.campaign-webhook.list',
  request: Nothing,
  reply: wholeListOf('CampaignWebhooks', CampaignWebhook),
});

const WebhookChoice = described('CampaignWebhookChoice', 'One webhook.', z.object({ WebhookKeyID: Uuid }), {
  WebhookKeyID: webhookKey,
});

/** Pending deliveries are dropped. */
export const deleteCampaignWebhook = defineRequest({
  subject: 'telephony-bridge.campaign-webhook.delete',
  request: WebhookChoice,
  reply: CampaignWebhook,
});

/** Resends deliveries that are no longer retried. */
export const retryCampaignWebhook = defineRequest({
  subject: 'telephony-bridge.campaign-webhook.retry',
  request: WebhookChoice,
  reply: CampaignWebhook,
});

/** Sends one event `campaign.test` at once, signed like the others, whether or not the webhook is active. Not retried. */
export const testCampaignWebhook = defineRequest({
  subject: 'telephony-bridge.campaign-webhook.test',
  timeoutMs: 15_000,
  request: WebhookChoice,
  reply: described(
    'TestedCampaignWebhook',
    'The response of the receiver.',
    z.object({
      EventID: Uuid,
      isTaken: z.boolean(),
      status: z.int().nullable(),
      failure: z.string().nullable(),
      durationMs: z.int().min(0),
    }),
    { EventID: eventId, isTaken: false, status: 500, failure: 'It answered 500.', durationMs: 84 },
  ),
});

const UndeliveredEvent = described(
  'UndeliveredCampaignEvent',
  'An event that a webhook has not accepted yet, or that is no longer retried.',
  z.object({
    EventID: Uuid,
    type: z.enum(campaignWebhookTypes),
    CampaignKeyID: Uuid,
    CampaignID: z.int(),
    attempts: z.int().min(0),
    lastFailure: z.string().nullable(),
    givenUpOn: Timestamp.nullable(),
    CreatedOn: Timestamp,
  }),
  {
    EventID: eventId,
    type: 'campaign.completed',
    CampaignKeyID: campaignKey,
    CampaignID: 3,
    attempts: 3,
    lastFailure: 'It answered 500.',
    givenUpOn: null,
    CreatedOn: createdOnExample,
  },
);

export const listUndeliveredCampaignEvents = defineRequest({
  subject: 'telephony-bridge.campaign-webhook.list-undelivered',
  request: described(
    'UndeliveredCampaignEventQuery',
    'The webhook whose undelivered events to list.',
    z.object({ WebhookKeyID: Uuid, ...paging(['CreatedOn']) }),
    { WebhookKeyID: webhookKey, pageNo: 1, pageSize: 20 },
  ),
  reply: listOf('UndeliveredCampaignEventPage', UndeliveredEvent),
});
