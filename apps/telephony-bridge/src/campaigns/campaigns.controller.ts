import { Controller } from '@nestjs/common';
import {
  addCampaignContacts,
  cancelCampaign,
  deleteCampaign,
  exportCampaignContacts,
  getCampaign,
  listCampaignContacts,
  listCampaigns,
  pauseCampaign,
  previewCampaign,
  resumeCampaign,
  retryCampaignContacts,
  saveCampaign,
  startCampaign,
  testCampaign,
  uploadCampaignContacts,
} from '@parley/contracts';
import { type Call, type HandlerOf, Handles } from '@parley/messaging';
import type { z } from 'zod';
import { Campaigns } from './campaigns.service';
import { CampaignContacts } from './campaign-contacts';
import { CampaignPreview } from './campaign-preview';
import { ContactIntake } from './contact-intake';
import { ContactResults } from './contact-results';

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

type Add = HandlerOf<typeof addCampaignContacts>;
type Upload = HandlerOf<typeof uploadCampaignContacts>;
type Retry = HandlerOf<typeof retryCampaignContacts>;
type ListContacts = HandlerOf<typeof listCampaignContacts>;
type Preview = HandlerOf<typeof previewCampaign>;
type Test = HandlerOf<typeof testCampaign>;

/** The contacts of campaigns over the bus. */
@Controller()
export class CampaignContactsController {
  constructor(
    private readonly contacts: CampaignContacts,
    private readonly intake: ContactIntake,
    private readonly results: ContactResults,
    private readonly preview: CampaignPreview,
  ) {}

  @Handles(addCampaignContacts)
  add(wanted: Parameters<Add>[0], call: Call): ReturnType<Add> {
    return this.intake.add(wanted, call);
  }

  @Handles(uploadCampaignContacts)
  upload(wanted: Parameters<Upload>[0], call: Call): ReturnType<Upload> {
    return this.intake.upload(wanted, call);
  }

  @Handles(retryCampaignContacts)
  retry(wanted: Parameters<Retry>[0], call: Call): ReturnType<Retry> {
    return this.contacts.retry(wanted, call);
  }

  @Handles(listCampaignContacts)
  list(query: Parameters<ListContacts>[0], call: Call): ReturnType<ListContacts> {
    return this.results.list(query, call);
  }

  @Handles(exportCampaignContacts)
  export(query: z.output<typeof exportCampaignContacts.request>, call: Call): AsyncIterable<{ csv: string }> {
    return this.results.export(query, call);
  }

  @Handles(previewCampaign)
  show(wanted: Parameters<Preview>[0], call: Call): ReturnType<Preview> {
    return this.preview.of(wanted, call);
  }

  @Handles(testCampaign)
  test(wanted: Parameters<Test>[0], call: Call): ReturnType<Test> {
    return this.preview.test(wanted, call);
  }
}
