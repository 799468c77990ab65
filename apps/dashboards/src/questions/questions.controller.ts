import { Controller } from '@nestjs/common';
import { getFaqHits, getUnansweredQuestions } from '@parley/contracts';
import { type Call, Handles } from '@parley/messaging';
import type { BodyOf, ReplyOf } from '../message-types';
import { FaqHitsService } from './faq-hits.service';
import { UnansweredService } from './unanswered.service';

/** What callers ask, over the bus. */
@Controller()
export class QuestionsController {
  constructor(
    private readonly unanswered: UnansweredService,
    private readonly faqHits: FaqHitsService,
  ) {}

  @Handles(getUnansweredQuestions)
  inVain(query: BodyOf<typeof getUnansweredQuestions>, call: Call): Promise<ReplyOf<typeof getUnansweredQuestions>> {
    return this.unanswered.get(query, call);
  }

  @Handles(getFaqHits)
  hits(query: BodyOf<typeof getFaqHits>, call: Call): Promise<ReplyOf<typeof getFaqHits>> {
    return this.faqHits.get(query, call);
  }
}
