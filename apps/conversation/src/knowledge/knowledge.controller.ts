import { Controller } from '@nestjs/common';
import { documentStatusChanged, knowledgeChanged } from '@parley/contracts';
import { Hears } from '@parley/messaging';
import { BaseTexts } from './base-texts';

/** Lets the next turn read a knowledge base anew, on every replica. */
@Controller()
export class KnowledgeController {
  constructor(private readonly texts: BaseTexts) {}

  @Hears(knowledgeChanged)
  changed({ KBID }: { KBID: number }): void {
    this.texts.forget(KBID);
  }

  @Hears(documentStatusChanged)
  documentSettled({ KBID }: { KBID: number }): void {
    this.texts.forget(KBID);
  }
}
