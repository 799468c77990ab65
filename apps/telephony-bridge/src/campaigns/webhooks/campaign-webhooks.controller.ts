import { Controller } from '@nestjs/common';
import {
  deleteCampaignWebhook,
  listCampaignWebhooks,
  listUndeliveredCampaignEvents,
  retryCampaignWebhook,
  saveCampaignWebhook,
  testCampaignWebhook,
} from '@parley/contracts';
import { type Call, Handles, type HandlerOf } from '@parley/messaging';
import { CampaignWebhooks } from './campaign-webhooks.service';

type Save = HandlerOf<typeof saveCampaignWebhook>;
type List = HandlerOf<typeof listCampaignWebhooks>;
type Choose = HandlerOf<typeof deleteCampaignWebhook>;
type Undelivered = HandlerOf<typeof listUndeliveredCampaignEvents>;

/** Webhooks of campaigns over the bus. */
@Controller()
export class CampaignWebhooksController {
  constructor(private readonly webhooks: CampaignWebhooks) {}

  @Handles(saveCampaignWebhook)
  save(wanted: Parameters<Save>[0], call: Call): ReturnType<Save> {
    return this.webhooks.save(wanted, call);
  }

  @Handles(listCampaignWebhooks)
  list(_: Parameters<List>[0], call: Call): ReturnType<List> {
    return this.webhooks.list(call);
  }

  @Handles(deleteCampaignWebhook)
  delete({ WebhookKeyID }: Parameters<Choose>[0], call: Call): ReturnType<Choose> {
    return this.webhooks.delete(WebhookKeyID, call);
  }

  @Handles(testCampaignWebhook)
  test({ WebhookKeyID }: Parameters<Choose>[0], call: Call): ReturnType<HandlerOf<typeof testCampaignWebhook>> {
    return this.webhooks.test(WebhookKeyID, call);
  }

  @Handles(retryCampaignWebhook)
  retry({ WebhookKeyID }: Parameters<Choose>[0], call: Call): ReturnType<Choose> {
    return this.webhooks.retry(WebhookKeyID, call);
  }

  @Handles(listUndeliveredCampaignEvents)
  undelivered(query: Parameters<Undelivered>[0], call: Call): ReturnType<Undelivered> {
    return this.webhooks.undelivered(query, call);
  }
}
