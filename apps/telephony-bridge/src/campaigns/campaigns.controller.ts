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

type SaveCampaignHandler = HandlerOf<typeof saveCampaign>;
type ListCampaignsHandler = HandlerOf<typeof listCampaigns>;
type GetCampaignHandler = HandlerOf<typeof getCampaign>;
type CampaignChoice = Parameters<GetCampaignHandler>[0];

/** Campaigns over the bus. */
@Controller()
export class CampaignsController {
  constructor(private readonly campaigns: Campaigns) {}

  @Handles(saveCampaign)
  save(wanted: Parameters<SaveCampaignHandler>[0], call: Call): ReturnType<SaveCampaignHandler> {
    return this.campaigns.save(wanted, call);
  }

  @Handles(listCampaigns)
  list(query: Parameters<ListCampaignsHandler>[0], call: Call): ReturnType<ListCampaignsHandler> {
    return this.campaigns.list(query, call);
  }

  @Handles(getCampaign)
  get({ CampaignKeyID }: CampaignChoice, call: Call): ReturnType<GetCampaignHandler> {
    return this.campaigns.get(CampaignKeyID, call);
  }

  @Handles(startCampaign)
  start({ CampaignKeyID }: CampaignChoice, call: Call): ReturnType<GetCampaignHandler> {
    return this.campaigns.move(CampaignKeyID, 'start', call);
  }

  @Handles(pauseCampaign)
  pause({ CampaignKeyID }: CampaignChoice, call: Call): ReturnType<GetCampaignHandler> {
    return this.campaigns.move(CampaignKeyID, 'pause', call);
  }

  @Handles(resumeCampaign)
  resume({ CampaignKeyID }: CampaignChoice, call: Call): ReturnType<GetCampaignHandler> {
    return this.campaigns.move(CampaignKeyID, 'resume', call);
  }

  @Handles(cancelCampaign)
  cancel({ CampaignKeyID }: CampaignChoice, call: Call): ReturnType<GetCampaignHandler> {
    return this.campaigns.move(CampaignKeyID, 'cancel', call);
  }

  @Handles(deleteCampaign)
  delete({ CampaignKeyID }: CampaignChoice, call: Call): ReturnType<HandlerOf<typeof deleteCampaign>> {
    return this.campaigns.delete(CampaignKeyID, call);
  }
}

type AddCampaignContactsHandler = HandlerOf<typeof addCampaignContacts>;
type UploadCampaignContactsHandler = HandlerOf<typeof uploadCampaignContacts>;
type Retry = HandlerOf<typeof retryCampaignContacts>;
type ListCampaignContactsHandler = HandlerOf<typeof listCampaignContacts>;
type PreviewCampaignHandler = HandlerOf<typeof previewCampaign>;
type TestCampaignHandler = HandlerOf<typeof testCampaign>;

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
  add(wanted: Parameters<AddCampaignContactsHandler>[0], call: Call): ReturnType<AddCampaignContactsHandler> {
    return this.intake.add(wanted, call);
  }

  @Handles(uploadCampaignContacts)
  upload(wanted: Parameters<UploadCampaignContactsHandler>[0], call: Call): ReturnType<UploadCampaignContactsHandler> {
    return this.intake.upload(wanted, call);
  }

  @Handles(retryCampaignContacts)
  retry(wanted: Parameters<Retry>[0], call: Call): ReturnType<Retry> {
    return this.contacts.retry(wanted, call);
  }

  @Handles(listCampaignContacts)
  list(query: Parameters<ListCampaignContactsHandler>[0], call: Call): ReturnType<ListCampaignContactsHandler> {
    return this.results.list(query, call);
  }

  @Handles(exportCampaignContacts)
  export(query: z.output<typeof exportCampaignContacts.request>, call: Call): AsyncIterable<{ csv: string }> {
    return this.results.export(query, call);
  }

  @Handles(previewCampaign)
  show(wanted: Parameters<PreviewCampaignHandler>[0], call: Call): ReturnType<PreviewCampaignHandler> {
    return this.preview.of(wanted, call);
  }

  @Handles(testCampaign)
  test(wanted: Parameters<TestCampaignHandler>[0], call: Call): ReturnType<TestCampaignHandler> {
    return this.preview.test(wanted, call);
  }
}
