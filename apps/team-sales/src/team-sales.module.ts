import { type DynamicModule, Module } from '@nestjs/common';
import type { TeamSalesConfig } from './config';
import { AcceptingService } from './invites/accepting.service';
import { InvitationsService } from './invites/invitations.service';
import { InvitesController } from './invites/invites.controller';
import { SaveInviteService } from './invites/save-invite.service';
import { MailOutboxController } from './mail/mail-outbox.controller';
import { MailQueue } from './mail/mail-queue';
import { MailSettings } from './mail/mail-settings';
import { MailDispatch } from './mail/sending/mail-dispatch';
import { OrganizationsController } from './organizations/organizations.controller';
import { OrganizationsService } from './organizations/organizations.service';
import { RolesController } from './roles/roles.controller';
import { AccessController } from './team/access.controller';
import { MemberEvents } from './team/member-events';
import { MembersController } from './team/members.controller';
import { MembersService } from './team/members.service';

/** Root of the team service. */
@Module({
  controllers: [AccessController, InvitesController, MailOutboxController, MembersController, OrganizationsController, RolesController],
  providers: [AcceptingService, InvitationsService, MailDispatch, MailQueue, MemberEvents, MembersService, OrganizationsService, SaveInviteService],
})
export class TeamSalesModule {
  static with(config: TeamSalesConfig): DynamicModule {
    return { module: TeamSalesModule, providers: [{ provide: MailSettings, useValue: new MailSettings(config) }] };
  }
}
