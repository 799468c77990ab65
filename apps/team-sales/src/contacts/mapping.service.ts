import { Injectable } from '@nestjs/common';
import type { mapContacts } from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { type Call, organizationOf } from '@parley/messaging';
import { type EntityManager, In } from 'typeorm';
import type { BodyOf, ReplyOf } from '../message-types';
import { findRepresentative, findWorkingRepresentative } from '../representatives/representatives';
import type { Representative } from '../representatives/representative.entity';
import { Contact } from './contact.entity';
import { Mappings } from './mappings';

type Request = BodyOf<typeof mapContacts>;
type Reply = ReplyOf<typeof mapContacts>;
type Outcome = 'MAPPED' | 'UNMAPPED';

/** Many contacts and one representative, with an answer for each contact. */
@Injectable()
export class MappingService {
  constructor(
    private readonly tenants: TenantScope,
    private readonly mappings: Mappings,
  ) {}

  map({ SalesUserKeyID, ContactID }: Request, call: Call): Promise<Reply> {
    const orgId = organizationOf(call);
    return this.tenants.run(orgId, async (manager) => {
      const representative = await findWorkingRepresentative(manager, { orgId, keyId: SalesUserKeyID });
      const changed = await this.mappings.map(manager, representative, ContactID, 'MAPPING');
      return replyAbout(manager, representative, { asked: ContactID, changed, outcome: 'MAPPED' });
    });
  }

  unmap({ SalesUserKeyID, ContactID }: Request, call: Call): Promise<Reply> {
    const orgId = organizationOf(call);
    return this.tenants.run(orgId, async (manager) => {
      const representative = await findRepresentative(manager, { orgId, keyId: SalesUserKeyID });
      const changed = await this.mappings.unmap(manager, representative, ContactID);
      return replyAbout(manager, representative, { asked: ContactID, changed, outcome: 'UNMAPPED' });
    });
  }
}

interface Change {
  readonly asked: number[];
  readonly changed: number[];
  readonly outcome: Outcome;
}

async function replyAbout(
  manager: EntityManager,
  { orgId, keyId, id }: Representative,
  { asked, changed, outcome }: Change,
): Promise<Reply> {
  const known = new Set(
    (await manager.find(Contact, { select: { id: true }, where: { orgId, id: In(asked) } })).map((contact) => contact.id),
  );
  const changedIds = new Set(changed);
  const results = [...new Set(asked)].map((ContactID) => {
    if (!known.has(ContactID)) return { ContactID, outcome: 'UNKNOWN' as const };
    return { ContactID, outcome: changedIds.has(ContactID) ? outcome : ('UNCHANGED' as const) };
  });
  return { SalesUserKeyID: keyId, SalesUserID: id, changedCount: changed.length, results };
}
