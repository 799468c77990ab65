import { Controller } from '@nestjs/common';
import { acceptInvite, getInvite, listInvites, revokeInvite, saveInvite } from '@parley/contracts';
import { type Call, Handles } from '@parley/messaging';
import type { BodyOf, ReplyOf } from '../message-types';
import { MembersService } from '../team/members.service';
import { AcceptingService, InvitationsService, SaveInviteService } from './invites.service';

/** Invitations over the bus. */
@Controller()
export class InvitesController {
  constructor(
    private readonly invitations: InvitationsService,
    private readonly saving: SaveInviteService,
    private readonly accepting: AcceptingService,
    private readonly members: MembersService,
  ) {}

  @Handles(listInvites)
  list(body: BodyOf<typeof listInvites>, call: Call): Promise<ReplyOf<typeof listInvites>> {
    return this.invitations.list(body, call);
  }

  @Handles(getInvite)
  get(body: BodyOf<typeof getInvite>, call: Call): Promise<ReplyOf<typeof getInvite>> {
    return this.invitations.get(body, call);
  }

  @Handles(saveInvite)
  save(body: BodyOf<typeof saveInvite>, call: Call): Promise<ReplyOf<typeof saveInvite>> {
    return this.saving.save(body, call);
  }

  @Handles(acceptInvite)
  accept(body: BodyOf<typeof acceptInvite>, call: Call): Promise<ReplyOf<typeof acceptInvite>> {
    return this.accepting.accept(body, call);
  }

  @Handles(revokeInvite)
  revoke(body: BodyOf<typeof revokeInvite>, call: Call): Promise<ReplyOf<typeof revokeInvite>> {
    return this.members.revoke(body, call);
  }
}
