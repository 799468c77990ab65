import { type DynamicModule, Module } from '@nestjs/common';
import { FileStore } from '@parley/ports';
import { openFileStore } from '@parley/providers/configured-files';
import { defineService } from '@parley/service-kit';
import { type TeamSalesConfig, TeamSalesVariables } from './config';
import { ContactsModule } from './contacts/contacts.module';
import { teamSchema } from './database/schema';
import { DevicesController, DevicesService } from './devices/devices.service';
import { AcceptingService, InvitationsService, InvitesController, SaveInviteService } from './invites/invites.service';
import { MailModule } from './mail/mail-dispatch';
import { MailSettings } from './mail/mail-queue';
import { OrganizationsController, OrganizationsService } from './organizations/organizations.service';
import { RolesController } from './roles/granting';
import { RepresentativesModule } from './sales/representatives.service';
import { AccessController, MembersController, MembersService } from './team/members.service';
import { KnownAgents, MemberEvents } from './team/membership-rules';

/** Who belongs to an organization, and what they may do. */
@Module({
  imports: [MailModule],
  controllers: [
    AccessController,
    DevicesController,
    InvitesController,
    MembersController,
    OrganizationsController,
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
