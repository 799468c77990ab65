import { Controller } from '@nestjs/common';
import { createOrganization, listEveryOrganization, listMyOrganizations } from '@parley/contracts';
import { type Call, Handles, requireOperator } from '@parley/messaging';
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

  @Handles(listEveryOrganization)
  listEvery(from: BodyOf<typeof listEveryOrganization>, call: Call): Promise<ReplyOf<typeof listEveryOrganization>> {
    requireOperator(call);
    return this.organizations.listEvery(from);
  }

  @Handles(listMyOrganizations)
  listMine(_: object, call: Call): Promise<ReplyOf<typeof listMyOrganizations>> {
    return this.organizations.listOfCaller(call);
  }
}
