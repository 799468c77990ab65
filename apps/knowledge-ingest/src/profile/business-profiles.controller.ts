import { Controller } from '@nestjs/common';
import { deleteBusinessProfile, getBusinessProfile, listBusinessProfiles, saveBusinessProfile } from '@parley/contracts';
import { type Call, Handles, organizationOf } from '@parley/messaging';
import type { z } from 'zod';
import { BusinessProfilesService } from './business-profiles.service';

@Controller()
export class BusinessProfilesController {
  constructor(private readonly profiles: BusinessProfilesService) {}

  @Handles(saveBusinessProfile)
  save(body: z.output<typeof saveBusinessProfile.request>, call: Call) {
    return this.profiles.save(organizationOf(call), body);
  }

  @Handles(listBusinessProfiles)
  list(query: z.output<typeof listBusinessProfiles.request>, call: Call) {
    return this.profiles.list(organizationOf(call), query);
  }

  @Handles(getBusinessProfile)
  get({ KBID }: { KBID: number }, call: Call) {
    return this.profiles.get(organizationOf(call), KBID);
  }

  @Handles(deleteBusinessProfile)
  delete({ KBBusinessInfoKeyID }: { KBBusinessInfoKeyID: string }, call: Call) {
    return this.profiles.delete(organizationOf(call), KBBusinessInfoKeyID);
  }
}
