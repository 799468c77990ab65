import { Module } from '@nestjs/common';
import { DevicesController } from '../devices/devices.controller';
import { DevicesService } from '../devices/devices.service';
import { AcceptingService } from '../invites/accepting.service';
import { InvitationsService } from '../invites/invitations.service';
import { InvitesController } from '../invites/invites.controller';
import { SaveInviteService } from '../invites/save-invite.service';
import { MailModule } from '../mail/mail.module';
import { OrganizationsController } from '../organizations/organizations.controller';
import { OrganizationsService } from '../organizations/organizations.service';
import { RolesController } from '../roles/roles.controller';
import { AccessController } from './access.controller';
import { KnownAgents } from './membership-rules';
import { MemberEvents } from './member-events';
import { MembersController } from './members.controller';
import { MembersService } from './members.service';

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
