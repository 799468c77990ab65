import { Controller } from '@nestjs/common';
import { deleteFaq, getFaq, listFaqs, saveFaqs } from '@parley/contracts';
import { type Call, Handles, organizationOf } from '@parley/messaging';
import type { z } from 'zod';
import { FaqsService } from './faqs.service';

@Controller()
export class FaqsController {
  constructor(private readonly faqs: FaqsService) {}

  @Handles(saveFaqs)
  save(body: z.output<typeof saveFaqs.request>, call: Call) {
    return this.faqs.save(organizationOf(call), body);
  }

  @Handles(listFaqs)
  list(query: z.output<typeof listFaqs.request>, call: Call) {
    return this.faqs.list(organizationOf(call), query);
  }

  @Handles(getFaq)
  get({ KBFAQKeyID }: { KBFAQKeyID: string }, call: Call) {
    return this.faqs.get(organizationOf(call), KBFAQKeyID);
  }

  @Handles(deleteFaq)
  delete({ KBFAQKeyID }: { KBFAQKeyID: string }, call: Call) {
    return this.faqs.delete(organizationOf(call), KBFAQKeyID);
  }
}
