import { Controller, type DynamicModule, Module, type OnApplicationShutdown } from '@nestjs/common';
import { agentDeleted, keyChanged, memberChanged, memberRemoved, organizationDeleted } from '@parley/contracts';
import { Broadcasts, Consumes, type EventMeta, Hears } from '@parley/messaging';
import type { SecretKeyVariables } from '@parley/service-kit';
import type { z } from 'zod';
import { Principals } from '../../endpoint/gateway-call';
import { KeyOwners, MemberRights } from './key-owners';
import { KeyHashes, KeyReader } from './integration-key';
import { KeyChanges, KeysController, KeysService } from './keys.service';
import { OpenConnections } from '../limits/open-connections';
import { LastUse, StoredKeys } from './stored-keys';

/** API keys: created and ended over the bus, and checked by the access guard. */
@Module({})
export class KeysModule {
  static with({ PARLEY_SECRET_KEY, PARLEY_SECRET_KEYS_OLD }: SecretKeyVariables): DynamicModule {
    return {
      module: KeysModule,
      controllers: [KeysController, KeyNewsController],
      providers: [
        { provide: KeyHashes, useValue: new KeyHashes(PARLEY_SECRET_KEY, PARLEY_SECRET_KEYS_OLD) },
        KeyChanges,
        KeyOwners,
        KeyReader,
        KeysService,
        LastUse,
        MemberRights,
        OpenConnections,
        StoredKeys,
        { provide: Principals, useExisting: StoredKeys },
      ],
      exports: [KeyOwners, KeysService, MemberRights, OpenConnections, Principals, StoredKeys],
    };
  }
}

type KeyChange = z.output<typeof keyChanged.payload>;
type MemberRemoved = z.output<typeof memberRemoved.payload>;
type AgentDeleted = z.output<typeof agentDeleted.payload>;
type OrganizationDeleted = z.output<typeof organizationDeleted.payload>;

/**
 * Handles key changes made elsewhere. Every gateway drops caches and connections at once; one of them records the end of the
 * keys.
 */
@Controller()
class KeyNewsController implements OnApplicationShutdown {
  private readonly stopListening: () => void;

  constructor(
    private readonly known: StoredKeys,
    private readonly sockets: OpenConnections,
    private readonly keys: KeysService,
    private readonly changes: KeyChanges,
    private readonly rights: MemberRights,
    broadcasts: Broadcasts,
  ) {
    // A revocation may have been missed while the connection was lost, so the whole cache is dropped.
    this.stopListening = broadcasts.onMissed(() => known.forget(() => true));
  }

  onApplicationShutdown(): void {
    this.stopListening();
  }

  @Hears(keyChanged)
  hearOfKey(change: KeyChange): void {
    this.changes.apply(change);
  }

  @Hears(memberChanged)
  async hearOfMember({ memberAdminID }: MemberRemoved, { orgId }: Pick<EventMeta, 'orgId'>): Promise<void> {
    this.known.forget(({ memberId }) => memberId === memberAdminID);
    if (orgId !== null) await this.rights.recheck(memberAdminID, orgId);
  }

  @Hears(memberRemoved)
  hearOfRemoval({ memberAdminID }: MemberRemoved): void {
    this.known.forget(({ memberId }) => memberId === memberAdminID);
    this.sockets.end(({ principal }) => principal.memberId === memberAdminID);
  }

  @Hears(agentDeleted)
  hearOfAgent({ AgentID }: AgentDeleted): void {
    this.known.forget(({ agentId }) => agentId === AgentID);
    this.sockets.endAgent(AgentID);
  }

  /** Sockets of a widget's visitors are of no key, and close with the others. */
  @Hears(organizationDeleted)
  hearOfOrganization({ OrgID }: OrganizationDeleted): void {
    this.known.forget(({ principal }) => principal.orgId === OrgID);
    this.sockets.end(({ principal }) => principal.orgId === OrgID, 'the organization was deleted');
  }

  @Consumes(memberRemoved)
  async endKeysOfMember({ memberAdminID }: MemberRemoved, { orgId }: EventMeta): Promise<void> {
    if (orgId === null) return;
    await this.keys.endAll(orgId, { memberId: memberAdminID });
    await this.keys.endBeyondMaker(orgId, memberAdminID);
  }

  @Consumes(memberChanged)
  async endKeysBeyondMaker({ memberAdminID }: MemberRemoved, { orgId }: EventMeta): Promise<void> {
    if (orgId !== null) await this.keys.endBeyondMaker(orgId, memberAdminID);
  }

  @Consumes(agentDeleted)
  async endKeysOfAgent({ AgentKeyID }: AgentDeleted, { orgId }: EventMeta): Promise<void> {
    if (orgId !== null) await this.keys.endAll(orgId, { agentKeyId: AgentKeyID });
  }
}
