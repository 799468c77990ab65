import { Controller } from '@nestjs/common';
import {
  cancelCampaign,
  deleteCampaign,
  getCampaign,
  listCampaigns,
  pauseCampaign,
  resumeCampaign,
  saveCampaign,
  startCampaign,
} from '@parley/contracts';
import { type Call, Handles, type HandlerOf } from '@parley/messaging';
import { Campaigns } from './campaigns.service';

type Save = HandlerOf<typeof saveCampaign>;
type List = HandlerOf<typeof listCampaigns>;
type Choose = HandlerOf<typeof getCampaign>;
type Choice = Parameters<Choose>[0];

/** Campaigns over the bus. */
@Controller()
export class CampaignsController {
  constructor(private readonly campaigns: Campaigns) {}

  @Handles(saveCampaign)
  save(wanted: Parameters<Save>[0], call: Call): ReturnType<Save> {
    return this.campaigns.save(wanted, call);
  }

  @Handles(listCampaigns)
  list(query: Parameters<List>[0], call: Call): ReturnType<List> {
    return this.campaigns.list(query, call);
  }

  @Handles(getCampaign)
  get({ CampaignKeyID }: Choice, call: Call): ReturnType<Choose> {
    return this.campaigns.get(CampaignKeyID, call);
  }

  @Handles(startCampaign)
  start({ CampaignKeyID }: Choice, call: Call): ReturnType<Choose> {
    return this.campaigns.move(CampaignKeyID, 'start', call);
  }

  @Handles(pauseCampaign)
  pause({ CampaignKeyID }: Choice, call: Call): ReturnType<Choose> {
    return this.campaigns.move(CampaignKeyID, 'pause', call);
  }

  @Handles(resumeCampaign)
  resume({ CampaignKeyID }: Choice, call: Call): ReturnType<Choose> {
    return this.campaigns.move(CampaignKeyID, 'resume', call);
  }

  @Handles(cancelCampaign)
  cancel({ CampaignKeyID }: Choice, call: Call): ReturnType<Choose> {
    return this.campaigns.move(CampaignKeyID, 'cancel', call);
  }

  @Handles(deleteCampaign)
  delete({ CampaignKeyID }: Choice, call: Call): ReturnType<HandlerOf<typeof deleteCampaign>> {
    return this.campaigns.delete(CampaignKeyID, call);
  }
}
