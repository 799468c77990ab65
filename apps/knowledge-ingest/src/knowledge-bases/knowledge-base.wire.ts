import type { KbIdentity, KnowledgeBase, KnowledgeBaseFields } from '@parley/contracts';
import { collectionName } from '@parley/ports';
import type { z } from 'zod';
import type { BaseContents } from './base-contents';
import type { KnowledgeBaseEntity } from './knowledge-base.entity';

type Fields = z.output<typeof KnowledgeBaseFields>;

export function fieldsOf({ KnowledgeBaseName, IndustryID, AgentTypeID, ConversationalModeIDs }: Fields) {
  const modes = new Set(ConversationalModeIDs.split(',').map((mode) => mode.trim()));
  return {
    name: KnowledgeBaseName,
    industryId: IndustryID,
    agentTypeId: AgentTypeID,
    conversationalModeIds: [...modes].sort().join(','),
  };
}

/** The same fields as they are stored. */
export function sentOf({ name, industryId, agentTypeId, conversationalModeIds }: KnowledgeBaseEntity): Fields {
  return {
    KnowledgeBaseName: name,
    IndustryID: industryId,
    AgentTypeID: agentTypeId,
    ConversationalModeIDs: conversationalModeIds,
  };
}

export function identityOf({ key, id }: KnowledgeBaseEntity): z.input<typeof KbIdentity> {
  return { KBKeyID: key, KBID: id };
}

/** What a builder is told of a base that is asked in another script than it is written in. */
const askedAcrossWarning =
  'Customers ask in another language than this knowledge base is written in, and the embeddings of this installation do not tell ' +
  'meaning across scripts: answers are found by words alone. Set EMBEDDINGS_API_KEY (and EMBEDDINGS_BASE_URL for a server of your ' +
  'own) to a multilingual model, or write the most asked questions in those languages too.';

/** A base as clients read it. Whoever embeds across scripts needs no warning of questions across them. */
export function knowledgeBaseOf(
  base: KnowledgeBaseEntity,
  contents: BaseContents,
  embedsAcrossScripts: boolean,
): z.input<typeof KnowledgeBase> {
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
    warnings: base.askedAcrossOn && !embedsAcrossScripts ? [askedAcrossWarning] : [],
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
