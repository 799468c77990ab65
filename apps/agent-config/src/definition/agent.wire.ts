import type { saveAgent } from '@parley/contracts';
import type { z } from 'zod';
import type { LookupKind } from '../lookups/seed/seed-entry';
import type { Agent } from './agent.entity';

export type SaveAgentBody = z.output<typeof saveAgent.request>;

/** The part of a definition that clients send and read under public names. */
export function publicFieldsOf(definition: AgentDefinition) {
  return {
    TemplateID: definition.templateId,
    AgentName: definition.name,
    AgentDescription: definition.description,
    AgentTypeID: definition.typeId,
    RegionTypeID: definition.regionId,
    TimeZoneID: definition.timeZoneId,
    IndustryTypeID: definition.industryId,
    LanguageID: definition.languageId,
    ToneID: definition.toneId,
    IconID: definition.iconId,
    AdminID: definition.adminId,
    KBID: definition.knowledgeBaseId,
    Greeting: definition.greeting,
  };
}

/** The ids of a definition that must be in a lookup, with the public name of each. */
export function choicesOf(definition: AgentDefinition): { field: string; kind: LookupKind; id: number }[] {
  return [
    { field: 'AgentTypeID', kind: 'agent-type', id: definition.typeId },
    { field: 'RegionTypeID', kind: 'region', id: definition.regionId },
    { field: 'TimeZoneID', kind: 'time-zone', id: definition.timeZoneId },
    { field: 'IndustryTypeID', kind: 'industry', id: definition.industryId },
    { field: 'LanguageID', kind: 'language', id: definition.languageId },
    { field: 'ToneID', kind: 'tone', id: definition.toneId },
    { field: 'IconID', kind: 'icon', id: definition.iconId },
  ];
}

export function identityOf({ keyId, id, version }: Pick<Agent, 'keyId' | 'id' | 'version'>) {
  return { AgentKeyID: keyId, AgentID: id, Version: version };
}

/** What a builder decided about an agent, in the words of this service. Versions keep it whole. */
export interface AgentDefinition {
  readonly templateId: number;
  readonly name: string;
  readonly description: string;
  readonly typeId: number;
  readonly regionId: number;
  readonly timeZoneId: number;
  readonly industryId: number;
  readonly languageId: number;
  readonly toneId: number;
  readonly iconId: number;
  readonly adminId: number | null;
  /** What the template tells the model; part of the composed prompt. */
  readonly instructions: string | null;
  /** Replaces the composed prompt. */
  readonly systemPrompt: string | null;
  readonly greeting: string;
  readonly knowledgeBaseId: number | null;
}
