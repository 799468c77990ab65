import { Injectable } from '@nestjs/common';
import { LookupTables } from '../lookups/lookup-tables';
import { AgentPrompts } from '../prompts/agent-prompts';
import { defaultGreetings } from '../prompts/default-greetings';
import { invalidFields } from '../refusals/invalid-fields';
import { TemplateDetails } from '../templates/agent-template';
import type { AgentDefinition } from './agent-definition';
import { choicesOf, type SaveAgentBody } from './agent.wire';

const english = 1;
const india = 1;
const kolkata = 1;

/** What an agent was before a save, with the business profile that its prompt told. */
export interface AgentBefore {
  readonly definition: AgentDefinition;
  readonly business: string | null;
}

/** Turns what a builder sent into the next state of an agent. */
@Injectable()
export class Drafting {
  constructor(
    private readonly lookups: LookupTables,
    private readonly prompts: AgentPrompts,
  ) {}

  /**
   * What was sent counts first. What was left out stays as it was, except that a newly chosen template lends its fields,
   * and a new language its texts.
   */
  draft(body: SaveAgentBody, before: AgentBefore | null): AgentDefinition {
    const stored = before?.definition;
    const languageId = body.LanguageID ?? stored?.languageId ?? english;
    const lent = this.lentBy(body.TemplateID, languageId);
    const isTemplateKept = stored?.templateId === body.TemplateID;
    const texts = isTemplateKept && stored.languageId === languageId ? stored : lent;
    const definition = {
      ...fieldsOf(body, isTemplateKept ? stored : (lent ?? stored)),
      languageId,
      adminId: body.AdminID === undefined ? (stored?.adminId ?? null) : body.AdminID,
      knowledgeBaseId: body.KBID === undefined ? (stored?.knowledgeBaseId ?? null) : body.KBID,
      instructions: texts?.instructions ?? null,
      greeting:
        body.Greeting ??
        (body.Greeting === null ? lent : texts)?.greeting ??
        defaultGreetings[this.lookups.languageOf(languageId)],
      systemPrompt: this.overrideOf(body, before),
    };
    this.lookups.require(choicesOf(definition));
    return definition;
  }

  private lentBy(templateId: number, languageId: number) {
    this.lookups.require([{ field: 'LanguageID', kind: 'language', id: languageId }]);
    if (templateId === 0) return undefined;
    this.lookups.require([{ field: 'TemplateID', kind: 'agent-template', id: templateId }]);
    const { texts, ...ids } = TemplateDetails.parse(this.lookups.get('agent-template', templateId).details);
    const { agentName, description, systemPrompt, greeting } = texts[this.lookups.languageOf(languageId)];
    return { ...ids, name: agentName, description, instructions: systemPrompt, greeting, regionId: india, timeZoneId: kolkata };
  }

  /** A client that sends the composed prompt back as it read it has not overridden anything. */
  private overrideOf({ SystemPrompt: sent }: SaveAgentBody, before: AgentBefore | null): string | null {
    const stored = before?.definition.systemPrompt ?? null;
    if (sent === undefined) return stored;
    const isEcho = before !== null && stored === null && sent === this.prompts.composed(before.definition, before.business);
    return isEcho || sent?.trim() === '' ? null : sent;
  }
}

type Inherited = Pick<
  AgentDefinition,
  'name' | 'description' | 'typeId' | 'regionId' | 'timeZoneId' | 'industryId' | 'toneId' | 'iconId'
>;

/** The fields that a template can lend or an earlier save has left. */
function fieldsOf(body: SaveAgentBody, base: Inherited | undefined) {
  return {
    templateId: body.TemplateID,
    name: needed('AgentName', body.AgentName ?? base?.name),
    description: needed('AgentDescription', body.AgentDescription ?? base?.description),
    typeId: needed('AgentTypeID', body.AgentTypeID ?? base?.typeId),
    regionId: needed('RegionTypeID', body.RegionTypeID ?? base?.regionId),
    timeZoneId: needed('TimeZoneID', body.TimeZoneID ?? base?.timeZoneId),
    industryId: needed('IndustryTypeID', body.IndustryTypeID ?? base?.industryId),
    toneId: needed('ToneID', body.ToneID ?? base?.toneId),
    iconId: needed('IconID', body.IconID ?? base?.iconId),
  };
}

function needed<T>(field: string, value: T | undefined): T {
  if (value === undefined) throw invalidFields([{ field, message: `${field} is required` }]);
  return value;
}
