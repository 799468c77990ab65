import { Injectable } from '@nestjs/common';
import type { saveInvite } from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { type Call, organizationOf } from '@parley/messaging';
import type { BodyOf, ReplyOf } from '../message-types';
import { MailQueue } from '../mail/mail-queue';
import { MailSettings } from '../mail/mail-settings';
import { isMember, memberOf } from '../team/calling-member';
import { KnownAgents, requireNoneUnknown } from '../team/known-agents';
import { MemberEvents } from '../team/member-events';
import { updateMembership } from '../team/membership-update';
import { lockTeam } from '../team/team-lock';
import { inviteAll, updated } from './inviting';

/** The one endpoint that both invites and changes. */
@Injectable()
export class SaveInviteService {
  constructor(
    private readonly tenants: TenantScope,
    private readonly mails: MailQueue,
    private readonly settings: MailSettings,
    private readonly events: MemberEvents,
    private readonly agents: KnownAgents,
  ) {}

  async save(body: BodyOf<typeof saveInvite>, call: Call): Promise<ReplyOf<typeof saveInvite>> {
    const orgId = organizationOf(call);
    // Asked before the team is locked: nobody shall wait for another service with the lock in hand.
    const unknownAgents = await this.agents.unknownIn(body);
    return this.tenants.run(orgId, async (manager) => {
      const organization = await lockTeam(manager, orgId);
      const actor = await memberOf(manager, call);
      const { mails, settings } = this;
      if (body.action === 'ADD') {
        requireNoneUnknown(unknownAgents);
        return { results: await inviteAll({ manager, organization, inviter: actor, mails, settings }, body) };
      }
      const membership = await updateMembership({ manager, actor, unknownAgents }, body);
      if (isMember(membership)) await this.events.changed(manager, membership);
      return { results: [updated(membership)] };
    });
  }
}
