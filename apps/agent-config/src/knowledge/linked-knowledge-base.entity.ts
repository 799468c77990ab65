import { Column, Entity, PrimaryColumn } from 'typeorm';

/** What this service remembers of a knowledge base that an agent answers from, so that no turn has to ask for it. */
@Entity({ name: 'linked_knowledge_bases' })
export class LinkedKnowledgeBase {
  @PrimaryColumn('int')
  orgId: number;

  @PrimaryColumn('int')
  id: number;

  @Column('uuid')
  keyId: string;
}
