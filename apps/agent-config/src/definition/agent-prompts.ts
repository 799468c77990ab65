import { Injectable } from '@nestjs/common';
import { personaWords } from '@parley/contracts';
import { z } from 'zod';
import type { AgentDefinition } from './agent.entity';
import { LookupTables } from '../lookups/lookup-tables';

/** Everything that a persona is made of, in words. */
export interface PersonaParts {
  readonly name: string;
  readonly type: string;
  readonly industry: string;
  readonly description: string;
  readonly instructions: string | null;
  readonly manner: string;
  readonly region: string;
}

const ToneDetails = z.object({ manner: z.string() });

/** The agents' personas: their own part of a prompt. Rules, knowledge and the date are added when turns are answered. */
@Injectable()
export class AgentPrompts {
  constructor(private readonly lookups: LookupTables) {}

  /** The agent's persona: the builder's own text, or else the composed one. */
  promptOf(definition: AgentDefinition): string {
    return definition.systemPrompt ?? this.composed(definition);
  }

  /** The persona that the parts of a definition make, whether or not it is overridden. */
  composed(definition: AgentDefinition): string {
    const { lookups } = this;
    return composePersona({
      name: definition.name,
      description: definition.description,
      instructions: definition.instructions,
      type: lookups.get('agent-type', definition.typeId).name,
      industry: lookups.get('industry', definition.industryId).name,
      manner: ToneDetails.parse(lookups.get('tone', definition.toneId).details).manner,
      region: lookups.get('region', definition.regionId).name,
    });
  }
}

/** The headings are fixed so that builders find their words again, and an override can start from this text. */
export function composePersona({ name, type, industry, description, instructions, manner, region }: PersonaParts): string {
  const sections: [heading: string, body: string | null][] = [
    [personaWords.who, `You are ${name}. Your work: ${type}. Industry: ${industry}. Callers are in ${region}.\n${description}`],
    [personaWords.what, instructions],
    [personaWords.manner, manner],
  ];
  return sections.flatMap(([heading, body]) => (body ? [`${heading}\n${body.trim()}`] : [])).join('\n\n');
}
