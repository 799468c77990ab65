import { isDeepStrictEqual } from 'node:util';
import { Controller, Injectable } from '@nestjs/common';
import {
  afterSave,
  BusinessInfoFields,
  type BusinessProfile,
  deleteBusinessProfile,
  Fault,
  getBusinessProfile,
  listBusinessProfiles,
  readBusinessProfile,
  saveBusinessProfile,
} from '@parley/contracts';
import { containing, type Page, pageOf, TenantScope } from '@parley/database';
import { type Call, Handles, organizationOf } from '@parley/messaging';
import { type EntityManager, type FindOptionsWhere, IsNull } from 'typeorm';
import type { z } from 'zod';
import { BusinessProfileEntity } from '../database/entities';
import {
  baseOf,
  everyRight,
  keyOfBase,
  keysOfBases,
  KnowledgeChange,
  rightMissingFor,
  type SaveOutcome,
} from '../knowledge-bases/knowledge-change';

type PublicProfile = z.input<typeof BusinessProfile>;
type ProfileIdentity = z.input<typeof saveBusinessProfile.reply>;

interface Saved {
  readonly reply: ProfileIdentity;
  readonly outcome: SaveOutcome;
}

const sortable = { CreatedOn: 'createdOn', UpdatedOn: 'updatedOn', business_name: 'businessName' } as const;

/** The business's profile and opening hours. */
@Injectable()
export class BusinessProfilesService {
  constructor(
    private readonly tenants: TenantScope,
    private readonly change: KnowledgeChange,
  ) {}

  /** A change that the caller may not make is reported as the outcome, and not saved. */
  save(
    orgId: number,
    { KBID, businessInfo: { KBBusinessInfoID, ...sent } }: z.output<typeof saveBusinessProfile.request>,
    rights = everyRight,
  ): Promise<Saved> {
    return this.change.make<Saved>(
      { orgId, knowledgeBaseId: KBID, source: 'BUSINESS_PROFILE' },
      async (manager, { key: KBKeyID }) => {
        const known = await manager.findOneBy(BusinessProfileEntity, { knowledgeBaseId: KBID, deletedOn: IsNull() });
        if (KBBusinessInfoID > 0 && known?.id !== KBBusinessInfoID)
          throw new Fault('NOT_FOUND', { message: 'There is no such business profile.' });
        if (KBBusinessInfoID === 0 && known) {
          throw new Fault('CONFLICT', {
            message: `This knowledge base already has a business profile: send KBBusinessInfoID ${known.id} to change it.`,
          });
        }
        const profile =
          known ??
          manager.create(BusinessProfileEntity, {
            orgId,
            knowledgeBaseId: KBID,
            version: 0,
            indexedVersion: null,
            deletedOn: null,
          });
        const info = afterSave(BusinessInfoFields, known?.info, sent);
        if (isDeepStrictEqual(profile.info, info)) {
          return {
            result: { reply: identityOf(profile, KBKeyID), outcome: 'UNCHANGED' },
            jobs: profile.indexedVersion === profile.version ? [] : [{ kind: 'ENTRIES' }],
          };
        }
        const outcome = known ? 'UPDATED' : 'CREATED';
        if (known && rightMissingFor(outcome, rights))
          return { result: { reply: identityOf(known, KBKeyID), outcome }, jobs: [] };
        const changes = { info, businessName: info.business_name, version: profile.version + 1, updatedOn: new Date() };
        const saved = await manager.save(Object.assign(profile, changes));
        return { result: { reply: identityOf(saved, KBKeyID), outcome }, jobs: [{ kind: 'ENTRIES' }] };
      },
    );
  }

  list(orgId: number, query: z.output<typeof listBusinessProfiles.request>): Promise<Page<PublicProfile>> {
    return this.tenants.read(orgId, async (manager) => {
      const found = manager.createQueryBuilder(BusinessProfileEntity, 'profile').where('profile.deleted_on IS NULL');
      if (query.KBID) {
        const { id } = await baseOf(manager, { id: query.KBID });
        found.andWhere('profile.knowledge_base_id = :id', { id });
      }
      if (query.searchName) found.andWhere('profile.business_name ILIKE :name', { name: containing(query.searchName) });
      const page = await pageOf(found, query, { by: `${found.alias}.${sortable[query.sortColumn]}` });
      const keys = await keysOfBases(
        manager,
        page.rows.map(({ knowledgeBaseId }) => knowledgeBaseId),
      );
      return { ...page, rows: page.rows.map((row) => wireOf(row, keys.get(row.knowledgeBaseId) ?? '')) };
    });
  }

  get(orgId: number, knowledgeBaseId: number): Promise<PublicProfile> {
    return this.tenants.read(orgId, async (manager) =>
      wireOf(await profileOf(manager, { knowledgeBaseId }), await keyOfBase(manager, knowledgeBaseId)),
    );
  }

  read(orgId: number, key: string): Promise<PublicProfile> {
    return this.tenants.read(orgId, async (manager) => {
      const profile = await profileOf(manager, { key });
      return wireOf(profile, await keyOfBase(manager, profile.knowledgeBaseId));
    });
  }

  async delete(orgId: number, key: string): Promise<z.input<typeof deleteBusinessProfile.reply>> {
    const profile = await this.tenants.read(orgId, (manager) => profileOf(manager, { key }));
    return this.change.make(
      { orgId, knowledgeBaseId: profile.knowledgeBaseId, source: 'BUSINESS_PROFILE' },
      async (manager, { key: KBKeyID }) => {
        await manager.update(BusinessProfileEntity, { id: profile.id }, { deletedOn: new Date() });
        return { result: identityOf(profile, KBKeyID), jobs: [{ kind: 'ENTRIES' }] };
      },
    );
  }
}

async function profileOf(manager: EntityManager, where: FindOptionsWhere<BusinessProfileEntity>): Promise<BusinessProfileEntity> {
  const profile = await manager.findOneBy(BusinessProfileEntity, { ...where, deletedOn: IsNull() });
  if (!profile) throw new Fault('NOT_FOUND', { message: 'There is no such business profile.' });
  return profile;
}

function identityOf({ key, id, knowledgeBaseId }: BusinessProfileEntity, KBKeyID: string): ProfileIdentity {
  return { KBBusinessInfoKeyID: key, KBBusinessInfoID: id, KBKeyID, KBID: knowledgeBaseId };
}

function wireOf(profile: BusinessProfileEntity, KBKeyID: string): PublicProfile {
  return {
    ...identityOf(profile, KBKeyID),
    businessInfo: { ...profile.info, KBBusinessInfoKeyID: profile.key, KBBusinessInfoID: profile.id },
    CreatedOn: profile.createdOn.toISOString(),
    UpdatedOn: profile.updatedOn.toISOString(),
  };
}

@Controller()
export class BusinessProfilesController {
  constructor(private readonly profiles: BusinessProfilesService) {}

  @Handles(saveBusinessProfile)
  async save(body: z.output<typeof saveBusinessProfile.request>, call: Call) {
    return (await this.profiles.save(organizationOf(call), body)).reply;
  }

  @Handles(listBusinessProfiles)
  list(query: z.output<typeof listBusinessProfiles.request>, call: Call) {
    return this.profiles.list(organizationOf(call), query);
  }

  @Handles(readBusinessProfile)
  read({ KBBusinessInfoKeyID }: { KBBusinessInfoKeyID: string }, call: Call) {
    return this.profiles.read(organizationOf(call), KBBusinessInfoKeyID);
  }

  @Handles(getBusinessProfile)
  get({ KBID }: { KBID: number }, call: Call) {
    return this.profiles.get(organizationOf(call), KBID);
  }

  @Handles(deleteBusinessProfile)
  delete({ KBBusinessInfoKeyID }: { KBBusinessInfoKeyID: string }, call: Call) {
    return this.profiles.delete(organizationOf(call), KBBusinessInfoKeyID);
  }
}
