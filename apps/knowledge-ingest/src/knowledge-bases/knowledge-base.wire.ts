import type { KbIdentity, KnowledgeBase, saveKnowledgeBase } from '@parley/contracts';
import { collectionName } from '@parley/ports';
import type { z } from 'zod';
import type { BaseContents } from './base-contents';
import type { KnowledgeBaseEntity } from './knowledge-base.entity';

type Saved = z.output<typeof saveKnowledgeBase.request>;

export function fieldsOf({ KnowledgeBaseName, IndustryID, AgentTypeID, ConversationalModeIDs }: Saved) {
  const modes = new Set(ConversationalModeIDs.split(',').map((mode) => mode.trim()));
  return {
    name: KnowledgeBaseName,
    industryId: IndustryID,
    agentTypeId: AgentTypeID,
    conversationalModeIds: [...modes].sort().join(','),
  };
}

export function identityOf({ key, id }: KnowledgeBaseEntity): z.input<typeof KbIdentity> {
  return { KBKeyID: key, KBID: id };
}

export function knowledgeBaseOf(base: KnowledgeBaseEntity, contents: BaseContents): z.input<typeof KnowledgeBase> {
  return {
    ...identityOf(base),
    KnowledgeBaseName: base.name,
    IndustryID: base.industryId,
    AgentTypeID: base.agentTypeId,
    ConversationalModeIDs: base.conversationalModeIds,
    collectionName: collectionName({ orgId: base.orgId, knowledgeBaseId: base.id }),
    documentCount: contents.documents,
    faqCount: contents.faqs,
    productCount: contents.products,
    serviceCount: contents.services,
    hasBusinessProfile: contents.profiles > 0,
    chunkCount: contents.chunks,
    status: statusOf(base, contents),
    CreatedOn: base.createdOn.toISOString(),
    UpdatedOn: base.updatedOn.toISOString(),
  };
}

function statusOf(base: KnowledgeBaseEntity, contents: BaseContents): z.input<typeof KnowledgeBase>['status'] {
  if (contents.jobs > 0) return 'INDEXING';
  if (base.clearedOn && base.space === null) return 'CLEARED';
  const { documents, faqs, products, services, profiles } = contents;
  return documents + faqs + products + services + profiles === 0 ? 'EMPTY' : 'READY';
}
