import { SpeechLanguage } from '@parley/contracts';
import { z } from 'zod';
import type { Labels, SeedEntry } from '../lookups/lookup-tables';

const Texts = z.object({ agentName: z.string(), description: z.string(), systemPrompt: z.string(), greeting: z.string() });

/** What a template lends beside its label. */
export const TemplateDetails = z.object({
  typeId: z.int(),
  industryId: z.int(),
  toneId: z.int(),
  iconId: z.int(),
  texts: z.record(SpeechLanguage, Texts),
});
export type TemplateDetails = z.output<typeof TemplateDetails>;

/** A ready-made agent in every language. */
export interface AgentTemplate extends TemplateDetails {
  readonly id: number;
  readonly name: string;
  readonly labels: Labels;
}

export function templateEntry({ id, name, labels, ...details }: AgentTemplate): SeedEntry {
  return { kind: 'agent-template', id, name, labels, details };
}
