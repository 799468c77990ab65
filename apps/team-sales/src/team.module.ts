import { Module } from '@nestjs/common';
import { DevicesController, DevicesService } from './devices/devices.service';
import { InvitesController } from './invites/invites.controller';
import { AcceptingService, InvitationsService, SaveInviteService } from './invites/invites.service';
import { MailModule } from './mail/mail-outbox.controller';
import { OrganizationsController, OrganizationsService } from './organizations/organizations.service';
import { RolesController } from './roles/granting';
import { AccessController } from './team/access.controller';
import { MembersController, MembersService } from './team/members.service';
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
export class TeamModule {}
