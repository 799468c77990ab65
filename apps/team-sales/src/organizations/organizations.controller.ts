import { Controller } from '@nestjs/common';
import { createOrganization, listMyOrganizations } from '@parley/contracts';
import { type Call, Handles } from '@parley/messaging';
import type { BodyOf, ReplyOf } from '../message-types';
import { OrganizationsService } from './organizations.service';

/** Tenants over the bus. */
@Controller()
export class OrganizationsController {
  constructor(private readonly organizations: OrganizationsService) {}

  @Handles(createOrganization)
  create(wanted: BodyOf<typeof createOrganization>): Promise<ReplyOf<typeof createOrganization>> {
    return this.organizations.create(wanted);
  }

  @Handles(listMyOrganizations)
  listMine(_: object, call: Call): Promise<ReplyOf<typeof listMyOrganizations>> {
    return this.organizations.listOfCaller(call);
  }
}
