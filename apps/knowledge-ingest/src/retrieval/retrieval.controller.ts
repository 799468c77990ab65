import { Controller } from '@nestjs/common';
import { retrieveKnowledge, searchKnowledge } from '@parley/contracts';
import { type Call, Handles, organizationOf } from '@parley/messaging';
import type { z } from 'zod';
import { RetrievalService } from './retrieval.service';

const tokensShownMax = 16_000;

@Controller()
export class RetrievalController {
  constructor(private readonly retrieval: RetrievalService) {}

  @Handles(retrieveKnowledge)
  retrieve(body: z.output<typeof retrieveKnowledge.request>, call: Call) {
    return this.retrieval.retrieve(organizationOf(call), { ...body, stopsAtAnswer: true });
  }

  @Handles(searchKnowledge)
  search(body: z.output<typeof searchKnowledge.request>, call: Call) {
    return this.retrieval.retrieve(organizationOf(call), { ...body, tokensMax: tokensShownMax, stopsAtAnswer: false });
  }
}
