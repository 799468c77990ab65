import { Controller } from '@nestjs/common';
import { readTextVectors, readWholeKnowledge, retrieveKnowledge, searchKnowledge } from '@parley/contracts';
import { type Call, Handles, organizationOf } from '@parley/messaging';
import type { z } from 'zod';
import { Engines } from '../engines';
import { RetrievalService } from './retrieval.service';
import { WholeKnowledge } from './whole-knowledge';

const tokensShownMax = 16_000;

@Controller()
export class RetrievalController {
  constructor(
    private readonly retrieval: RetrievalService,
    private readonly whole: WholeKnowledge,
  ) {}

  @Handles(readWholeKnowledge)
  readWhole(body: z.output<typeof readWholeKnowledge.request>, call: Call) {
    return this.whole.of(organizationOf(call), body);
  }

  @Handles(retrieveKnowledge)
  retrieve(body: z.output<typeof retrieveKnowledge.request>, call: Call) {
    return this.retrieval.retrieve(organizationOf(call), { ...body, stopsAtAnswer: true });
  }

  @Handles(searchKnowledge)
  search(body: z.output<typeof searchKnowledge.request>, call: Call) {
    const shown = { wants: 'EXCERPTS', tokensMax: tokensShownMax, stopsAtAnswer: false } as const;
    return this.retrieval.retrieve(organizationOf(call), { ...body, ...shown });
  }
}

/** What texts mean, for services that compare them. */
@Controller()
export class TextVectorsController {
  constructor(private readonly engines: Engines) {}

  @Handles(readTextVectors)
  async vectors(
    { texts }: z.output<typeof readTextVectors.request>,
    { signal }: Call,
  ): Promise<z.input<typeof readTextVectors.reply>> {
    const { capabilities } = this.engines.embeddings;
    const vectors = await this.engines.embeddings.embed(texts, { signal });
    return {
      space: capabilities.space.name,
      paraphrase: capabilities.similarity.paraphrase,
      vectors: vectors.map((vector) => Array.from(vector, (each) => Math.round(each * 1e6) / 1e6)),
    };
  }
}
