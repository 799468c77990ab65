import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import type { AgentDefinition } from '../agents/agent-definition';
import { LookupTables } from '../lookups/lookup-tables';
import { composePrompt } from './compose-prompt';

const ToneDetails = z.object({ manner: z.string() });

/** The system prompts of agents. */
@Injectable()
export class AgentPrompts {
  constructor(private readonly lookups: LookupTables) {}

  /** What the model is told: the builder's own text, or else the composed one. */
  promptOf(definition: AgentDefinition, business: string | null): string {
    return definition.systemPrompt ?? this.composed(definition, business);
  }

  /** The prompt that the parts of a definition make, whether or not it is overridden. */
  composed(definition: AgentDefinition, business: string | null): string {
    const { lookups } = this;
    return composePrompt({
      name: definition.name,
      description: definition.description,
      instructions: definition.instructions,
      business,
      type: lookups.get('agent-type', definition.typeId).name,
      industry: lookups.get('industry', definition.industryId).name,
      language: lookups.languageOf(definition.languageId),
      manner: ToneDetails.parse(lookups.get('tone', definition.toneId).details).manner,
      region: lookups.get('region', definition.regionId).name,
      timezone: lookups.get('time-zone', definition.timeZoneId).name,
    });
  }
}
