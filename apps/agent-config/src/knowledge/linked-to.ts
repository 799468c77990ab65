import type { EntityManager } from 'typeorm';
import type { Agent } from '../agents/agent.entity';
import { LinkedKnowledgeBase } from './linked-knowledge-base.entity';

/** The knowledge base that an agent answers from. */
export async function linkedTo(manager: EntityManager, { orgId, definition }: Agent): Promise<LinkedKnowledgeBase | null> {
  const { knowledgeBaseId: id } = definition;
  return id === null ? null : manager.findOneBy(LinkedKnowledgeBase, { orgId, id });
}
