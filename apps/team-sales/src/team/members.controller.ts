import { Controller } from '@nestjs/common';
import { findMembers, removeMember } from '@parley/contracts';
import { type Call, Handles } from '@parley/messaging';
import type { BodyOf, ReplyOf } from '../message-types';
import { MembersService } from './members.service';

/** Members over the bus. */
@Controller()
export class MembersController {
  constructor(private readonly members: MembersService) {}

  @Handles(findMembers)
  find(body: BodyOf<typeof findMembers>, call: Call): Promise<ReplyOf<typeof findMembers>> {
    return this.members.find(body, call);
  }

  @Handles(removeMember)
  remove(body: BodyOf<typeof removeMember>, call: Call): Promise<ReplyOf<typeof removeMember>> {
    return this.members.remove(body, call);
  }
}
