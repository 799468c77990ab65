import { type DynamicModule, Module } from '@nestjs/common';
import type { SchemaDefinition } from '@parley/database';
import { FileStore } from '@parley/ports';
import { openFileStore } from '@parley/providers/configured-files';
import { defineService } from '@parley/service-kit';
import { type TeamSalesConfig, TeamSalesVariables } from './config';
import { Contact } from './contacts/contact.entity';
import { ContactsModule } from './contacts/contacts.controller';
import { ContactUpload } from './contacts/upload/upload-rows';
import { CreateTeam1763700000000 } from './database/migrations/1763700000000-create-team';
import { CreateMails1763700000001 } from './database/migrations/1763700000001-create-mails';
import { CreateRepresentatives1763700000002 } from './database/migrations/1763700000002-create-representatives';
import { CreateContacts1763700000003 } from './database/migrations/1763700000003-create-contacts';
import { CreateSalesCalls1763700000004 } from './database/migrations/1763700000004-create-sales-calls';
import {
  GiveContactsZones1763700000006,
  KeepIgnoredColumns1763700000008,
  TellUploadedFilesApart1763700000005,
} from './database/migrations/1763700000005-files-and-zones-of-contacts';
import { ProveAddresses1763700000007 } from './database/migrations/1763700000007-prove-addresses';
import { DevicesController, DevicesService } from './devices/devices.service';
import { AcceptingService, InvitationsService, InvitesController, SaveInviteService } from './invites/invites.service';
import { MailModule } from './mail/mail-dispatch';
import { Mail, MailSettings } from './mail/mail-queue';
import { OrganizationsController, OrganizationsService, MemberRemovalController } from './organizations/organizations.service';
import { RolesController } from './roles/granting';
import { RepresentativesModule } from './sales/representatives.service';
import { SalesCall, SalesTarget } from './sales/sales-calls.service';
import { AccessController, MembersController, MembersService } from './team/members.service';
import { KnownAgents, MemberEvents } from './team/membership-rules';
import { Membership, Organization, User } from './team/membership.entity';
import { ContactMapping, Representative } from './team/representatives';

/** The tables of this service. */
const teamSchema: SchemaDefinition = {
  schema: 'team',
  entities: [
    Organization,
    User,
    Membership,
    Mail,
    Representative,
    Contact,
    ContactMapping,
    ContactUpload,
    SalesCall,
    SalesTarget,
  ],
  migrations: [
    CreateTeam1763700000000,
    CreateMails1763700000001,
    CreateRepresentatives1763700000002,
    CreateContacts1763700000003,
    CreateSalesCalls1763700000004,
    TellUploadedFilesApart1763700000005,
    GiveContactsZones1763700000006,
    ProveAddresses1763700000007,
    KeepIgnoredColumns1763700000008,
  ],
};

/** Members of organizations, and their rights. */
@Module({
  imports: [MailModule],
  controllers: [
    AccessController,
    DevicesController,
    InvitesController,
    MembersController,
    OrganizationsController,
    MemberRemovalController,
    RolesController,
  ],
  providers: [
    AcceptingService,
    DevicesService,
    InvitationsService,
    KnownAgents,
    MemberEvents,
    MembersService,
    OrganizationsService,
    SaveInviteService,
  ],
})
class TeamModule {}

/** Organizations, members, invites, roles and devices; representatives, contacts and targets. */
export const teamSales = defineService({
  name: 'team-sales',
  config: TeamSalesVariables,
  database: teamSchema,
  module: (config) => TeamSalesModule.with(config),
});

/** Root of the team service. */
@Module({ imports: [ContactsModule, RepresentativesModule, TeamModule] })
class TeamSalesModule {
  static with(config: TeamSalesConfig): DynamicModule {
    const mail = { provide: MailSettings, useValue: new MailSettings(config) };
    const files = { provide: FileStore, useFactory: () => openFileStore(config) };
    return { module: TeamSalesModule, global: true, providers: [mail, files], exports: [FileStore, MailSettings] };
  }
}
