import { Injectable } from '@nestjs/common';
import { invalidFields, personaWords, type SpeechLanguage } from '@parley/contracts';
import { z } from 'zod';
import { type AgentDefinition, choicesOf, type SaveAgentBody } from './agent.entity';
import { LookupTables, TemplateDetails } from '../lookups/lookup-tables';

/** The parts of a persona, in words. */
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

/** Composes personas, the agents' own part of a prompt. Rules, knowledge and the date are added for each turn. */
@Injectable()
export class AgentPrompts {
  constructor(private readonly lookups: LookupTables) {}

  /** The agent's persona: the builder's own text, or else the composed one. */
  promptOf(definition: AgentDefinition): string {
    return definition.systemPrompt ?? this.composed(definition);
  }

  /** The persona composed from a definition, whether or not the builder overrides it. */
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

/** The headings are fixed so that builders recognize their own words, and can use this text as the start of an override. */
export function composePersona({ name, type, industry, description, instructions, manner, region }: PersonaParts): string {
  const sections: [heading: string, body: string | null][] = [
    [personaWords.who, `You are ${name}. Your work: ${type}. Industry: ${industry}. Callers are in ${region}.\n${description}`],
    [personaWords.what, instructions],
    [personaWords.manner, manner],
  ];
  return sections.flatMap(([heading, body]) => (body ? [`${heading}\n${body.trim()}`] : [])).join('\n\n');
}

/** An agent's greeting if neither its builder nor a template set one. */
const defaultGreetings: Readonly<Record<SpeechLanguage, string>> = {
  english: 'Hello, this is {{agentName}}. How can I help you?',
  hindi: 'नमस्ते, मेरा नाम {{agentName}} है। मैं आपकी क्या मदद करूँ?',
  marathi: 'नमस्कार, माझे नाव {{agentName}} आहे. मी तुम्हाला काय मदत करू?',
};

const english = 1;

/** Turns what a builder sent into the next state of an agent. */
@Injectable()
export class Drafting {
  constructor(
    private readonly lookups: LookupTables,
    private readonly prompts: AgentPrompts,
  ) {}

  /**
   * Sent fields take precedence, and omitted ones stay. A template provides prompt and greeting but never overwrites the agent's
   * own fields; a greeting written by a person stays as well.
   */
  draft(body: SaveAgentBody, stored: AgentDefinition | undefined): AgentDefinition {
    const languageId = body.LanguageID ?? stored?.languageId ?? english;
    const templateId = body.TemplateID ?? stored?.templateId ?? 0;
    const isKept = stored?.templateId === templateId && stored.languageId === languageId;
    const fromTemplate = this.templateTexts(templateId, languageId);
    const definition = {
      ...fieldsOf(body, stored),
      templateId,
      languageId,
      adminId: body.AdminID === undefined ? (stored?.adminId ?? null) : body.AdminID || null,
      knowledgeBaseId: body.KBID === undefined ? (stored?.knowledgeBaseId ?? null) : body.KBID,
      instructions: isKept ? stored.instructions : fromTemplate.instructions,
      greeting:
        body.Greeting ?? (body.Greeting === null ? fromTemplate.greeting : this.greetingKept(stored, fromTemplate.greeting)),
      systemPrompt: this.overrideOf(body, stored),
    };
    this.lookups.require(choicesOf(definition));
    return definition;
  }

  /** A greeting that came from a template or language is replaced along with it. */
  private greetingKept(stored: AgentDefinition | undefined, lent: string): string {
    if (!stored) return lent;
    const before = this.textsOf(stored.templateId, stored.languageId);
    return stored.greeting === before.greeting ? lent : stored.greeting;
  }

  private templateTexts(templateId: number, languageId: number): Texts {
    this.lookups.require([{ field: 'LanguageID', kind: 'language', id: languageId }]);
    if (templateId !== 0) this.lookups.require([{ field: 'TemplateID', kind: 'agent-template', id: templateId }]);
    return this.textsOf(templateId, languageId);
  }

  private textsOf(templateId: number, languageId: number): Texts {
    const language = this.lookups.languageOf(languageId);
    if (templateId === 0) return { instructions: null, greeting: defaultGreetings[language] };
    const { texts } = TemplateDetails.parse(this.lookups.get('agent-template', templateId).details);
    return { instructions: texts[language].systemPrompt, greeting: texts[language].greeting };
  }

  /** A client that sends the composed prompt back unchanged has not overridden anything. */
  private overrideOf({ SystemPrompt: sent }: SaveAgentBody, before: AgentDefinition | undefined): string | null {
    const stored = before?.systemPrompt ?? null;
    if (sent === undefined) return stored;
    const isEcho = before !== undefined && stored === null && sent === this.prompts.composed(before);
    return isEcho || sent?.trim() === '' ? null : sent;
  }
}

/** The texts that a template provides in one language. */
interface Texts {
  readonly instructions: string | null;
  readonly greeting: string;
}

function fieldsOf(body: SaveAgentBody, stored: AgentDefinition | undefined) {
  return {
    name: needed('AgentName', body.AgentName ?? stored?.name),
    description: needed('AgentDescription', body.AgentDescription ?? stored?.description),
    typeId: needed('AgentTypeID', body.AgentTypeID ?? stored?.typeId),
    regionId: needed('RegionTypeID', body.RegionTypeID ?? stored?.regionId),
    timeZoneId: needed('TimeZoneID', body.TimeZoneID ?? stored?.timeZoneId),
    industryId: needed('IndustryTypeID', body.IndustryTypeID ?? stored?.industryId),
    toneId: needed('ToneID', body.ToneID ?? stored?.toneId),
    iconId: needed('IconID', body.IconID ?? stored?.iconId),
  };
}

function needed<T>(field: string, value: T | undefined): T {
  if (value === undefined) throw invalidFields([{ field, message: `${field} is required` }]);
  return value;
}
