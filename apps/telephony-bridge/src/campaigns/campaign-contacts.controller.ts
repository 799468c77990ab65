import { Controller } from '@nestjs/common';
import {
  addCampaignContacts,
  exportCampaignContacts,
  listCampaignContacts,
  previewCampaign,
  retryCampaignContacts,
  testCampaign,
  uploadCampaignContacts,
} from '@parley/contracts';
import { type Call, Handles, type HandlerOf } from '@parley/messaging';
import type { z } from 'zod';
import { CampaignContacts } from './campaign-contacts';
import { CampaignPreview } from './campaign-preview';
import { ContactIntake } from './contact-intake';
import { ContactResults } from './contact-results';

type Add = HandlerOf<typeof addCampaignContacts>;
type Upload = HandlerOf<typeof uploadCampaignContacts>;
type Retry = HandlerOf<typeof retryCampaignContacts>;
type List = HandlerOf<typeof listCampaignContacts>;
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
  list(query: Parameters<List>[0], call: Call): ReturnType<List> {
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
