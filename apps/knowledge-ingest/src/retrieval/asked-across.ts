import { Injectable } from '@nestjs/common';
import { TenantScope } from '@parley/database';
import { isDevanagari } from '@parley/language';
import { Logger } from '@parley/service-kit';
import { Engines } from '../engines';
import { KnowledgeBaseEntity } from '../database/entities';

const basesRemembered = 10_000;

/** Notes that a knowledge base is searched across scripts where the engine cannot: once, in its row and in the log. */
@Injectable()
export class AskedAcross {
  private readonly noted = new Set<number>();

  constructor(
    private readonly tenants: TenantScope,
    private readonly engines: Engines,
    private readonly log: Logger,
  ) {}

  /** What was found tells in which script the base is written. Nobody waits for the note. */
  note({ id, orgId, askedAcrossOn }: KnowledgeBaseEntity, query: string, found: readonly { readonly text: string }[]): void {
    const isAcross = found.length > 0 && found.every(({ text }) => isDevanagari(text) !== isDevanagari(query));
    if (!isAcross || askedAcrossOn || this.noted.has(id) || this.engines.embeddings.capabilities.similarity.acrossScripts) return;
    if (this.noted.size >= basesRemembered) this.noted.clear();
    this.noted.add(id);
    this.log.warn('A knowledge base is asked in another script than it is written in, without embeddings that know both', {
      knowledgeBaseId: id,
      orgId,
    });
    this.tenants
      .run(orgId, (manager) => manager.update(KnowledgeBaseEntity, { id }, { askedAcrossOn: new Date() }))
      .catch((err: unknown) => this.log.warn('That a knowledge base is asked across scripts could not be noted', { err }));
  }
}
