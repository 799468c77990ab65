import { Controller } from '@nestjs/common';
import { readWholeKnowledge, retrieveKnowledge, searchKnowledge } from '@parley/contracts';
import { type Call, Handles, organizationOf } from '@parley/messaging';
import type { z } from 'zod';
import { WholeKnowledge } from '../whole/whole-knowledge';
import { RetrievalService } from './retrieval.service';

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
