import { Controller, Injectable } from '@nestjs/common';
import { documentStatusChanged, knowledgeChanged, readWholeKnowledge } from '@parley/contracts';
import { Hears, ServiceBus } from '@parley/messaging';
import type { z } from 'zod';

export type BaseText = z.output<typeof readWholeKnowledge.reply>;

/** An agent with its knowledge base. */
interface Based {
  readonly AgentID: number;
  readonly KBID: number;
}

/** How much of a knowledge base may stand in every prompt. */
export class WholeKnowledgeRoom {
  constructor(readonly tokensMax: number) {}
}

interface Remembered {
  readonly text: Promise<BaseText>;
  readonly staleAtMs: number;
}

const remembrancesMax = 300;
/** News of a change can be missed; turns that search notice by the revision, and this bounds it for those that do not. */
const rememberedMs = 60_000;

/** The texts of knowledge bases as prompts hold them, remembered until the base changes. */
@Injectable()
export class BaseTexts {
  private readonly remembered = new Map<string, Remembered>();

  constructor(
    private readonly bus: ServiceBus,
    private readonly room: WholeKnowledgeRoom,
  ) {}

  /** With `atLeast`, one of that revision or a later one: whoever has seen a newer one wants no older text. */
  async of({ AgentID, KBID }: Based, atLeast = 0): Promise<BaseText> {
    // By the agent as well, whose right to its base was looked at: no text is had by knowing a number.
    const name = `${AgentID}/${KBID}`;
    const known = this.remembered.get(name);
    if (known && known.staleAtMs > Date.now()) {
      const text = await known.text;
      if (text.revision >= atLeast) return text;
    }
    return this.read(name, KBID);
  }

  forget(KBID: number): void {
    for (const name of this.remembered.keys()) if (name.endsWith(`/${KBID}`)) this.remembered.delete(name);
  }

  private read(name: string, KBID: number): Promise<BaseText> {
    const text = this.bus.ask(readWholeKnowledge, { KBID, tokensMax: this.room.tokensMax });
    const remembered = { text, staleAtMs: Date.now() + rememberedMs };
    this.remembered.delete(name);
    this.remembered.set(name, remembered);
    text.catch(() => this.remembered.get(name) === remembered && this.remembered.delete(name));
    const [oldest] = this.remembered.keys();
    if (this.remembered.size > remembrancesMax && oldest !== undefined) this.remembered.delete(oldest);
    return text;
  }
}

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
