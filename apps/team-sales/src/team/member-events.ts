import { memberChanged, memberJoined, memberRemoved } from '@parley/contracts';
import { Outbox } from '@parley/database';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Member } from './membership-rules';

/** Tells the platform, once the transaction holds, what happened to a member. */
@Injectable()
export class MemberEvents {
  constructor(private readonly outbox: Outbox) {}

  joined(manager: EntityManager, member: Member): Promise<string> {
    return this.outbox.add(manager, memberJoined, eventAbout(member));
  }

  changed(manager: EntityManager, member: Member): Promise<string> {
    return this.outbox.add(manager, memberChanged, eventAbout(member));
  }

  removed(manager: EntityManager, member: Member): Promise<string> {
    return this.outbox.add(manager, memberRemoved, eventAbout(member));
  }
}

function eventAbout({ orgId, memberKeyId, userId, roleTypeId, userType }: Member) {
  return { orgId, payload: { memberAdminID: memberKeyId, userID: userId, roleTypeID: roleTypeId, userType } };
}
