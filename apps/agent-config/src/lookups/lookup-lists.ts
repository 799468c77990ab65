import { Controller, Injectable } from '@nestjs/common';
import {
  formerNamesOf,
  listAgentTemplates,
  listAgentTypes,
  listIcons,
  listIndustries,
  listLanguages,
  listRegions,
  listTimeZones,
  listTones,
} from '@parley/contracts';
import { type HandlerOf, Handles } from '@parley/messaging';
import { offsetMs } from '@parley/service-kit';
import { z } from 'zod';
import { type LabelLanguage, type Lookup, type LookupKind, LookupTables, TemplateDetails } from './lookup-tables';

const Country = z.object({ countryCode: z.string() });

const Picture = z.object({ svg: z.string() });
const Tagged = z.object({ tag: z.string() });
const textsByLabel = { en: 'english', hi: 'hindi', mr: 'marathi' } as const;

/** The lookup tables as forms show them. */
@Injectable()
export class LookupLists {
  constructor(private readonly tables: LookupTables) {}

  /** The choices of a table that has only names and labels. */
  plain(kind: LookupKind, language: LabelLanguage) {
    return this.tables.list(kind).map((lookup) => ({
      id: lookup.id,
      keyId: lookup.keyId,
      name: lookup.name,
      label: labelOf(lookup, language),
      details: lookup.details,
    }));
  }

  regions(language: LabelLanguage): z.input<typeof listRegions.reply> {
    return this.tables.list('region').map((lookup) => ({
      RegionTypeKeyID: lookup.keyId,
      RegionTypeID: lookup.id,
      name: lookup.name,
      label: labelOf(lookup, language),
      countryCode: countryCodeOf(lookup),
    }));
  }

  icons(language: LabelLanguage): z.input<typeof listIcons.reply> {
    return this.plain('icon', language).map(({ id, keyId, name, label, details }) => ({
      IconKeyID: keyId,
      IconID: id,
      name,
      label,
      svg: Picture.parse(details).svg,
    }));
  }

  languages(language: LabelLanguage): z.input<typeof listLanguages.reply> {
    return this.plain('language', language).map(({ id, keyId, name, label, details }) => ({
      LanguageKeyID: keyId,
      LanguageID: id,
      name,
      label,
      tag: Tagged.parse(details).tag,
    }));
  }

  templates(language: LabelLanguage): z.input<typeof listAgentTemplates.reply> {
    return this.plain('agent-template', language).map(({ id, keyId, name, label, details }) => {
      const { texts, typeId, industryId, toneId, iconId } = TemplateDetails.parse(details);
      const { agentName, description, greeting } = texts[textsByLabel[language]];
      return {
        TemplateKeyID: keyId,
        TemplateID: id,
        name,
        label,
        AgentName: agentName,
        AgentDescription: description,
        Greeting: greeting,
        AgentTypeID: typeId,
        IndustryTypeID: industryId,
        ToneID: toneId,
        IconID: iconId,
      };
    });
  }
}

/** The label in the reader's language. The runtime itself knows the names of countries and time zones. */
function labelOf(lookup: Lookup, language: LabelLanguage): string {
  if (lookup.labels) return lookup.labels[language];
  if (lookup.kind === 'region')
    return new Intl.DisplayNames([language], { type: 'region' }).of(countryCodeOf(lookup)) ?? lookup.name;
  return lookup.name;
}

function countryCodeOf({ details }: Lookup): string {
  return Country.parse(details).countryCode;
}

type TimeZones = z.input<typeof listTimeZones.reply>;

/** Clock changes happen on a quarter hour at the finest. */
const quarterHourMs = 900_000;
const minuteMs = 60_000;

/** Time zones with their current offset. Creating four hundred formatters takes tens of milliseconds, so the list is cached. */
@Injectable()
export class TimeZoneClock {
  private readonly lists = new Map<LabelLanguage, { quarter: number; zones: TimeZones }>();

  list(lookups: readonly Lookup[], language: LabelLanguage, nowMs = Date.now()): TimeZones {
    const quarter = Math.floor(nowMs / quarterHourMs);
    const kept = this.lists.get(language);
    if (kept?.quarter === quarter) return kept.zones;
    const zones = lookups.map(({ id, keyId, name }) => ({
      TimeZoneKeyID: keyId,
      TimeZoneID: id,
      name,
      formerNames: formerNamesOf(name),
      label: zoneLabel(name, language, nowMs),
      utcOffsetMinutes: offsetMinutes(name, nowMs),
    }));
    this.lists.set(language, { quarter, zones });
    return zones;
  }
}

function zoneLabel(timeZone: string, language: LabelLanguage, nowMs: number): string {
  const parts = new Intl.DateTimeFormat(language, { timeZone, timeZoneName: 'long' }).formatToParts(nowMs);
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? timeZone;
}

/** How far a zone's clock is ahead of UTC at a given time, in minutes. */
export function offsetMinutes(timeZone: string, nowMs: number): number {
  return Math.round(offsetMs(nowMs, timeZone) / minuteMs);
}

type ListAgentTypesRequest = z.output<typeof listAgentTypes.request>;

/** The tables that forms choose from, over the bus. */
@Controller()
export class LookupsController {
  constructor(
    private readonly tables: LookupTables,
    private readonly lists: LookupLists,
    private readonly clock: TimeZoneClock,
  ) {}

  @Handles(listAgentTypes)
  agentTypes({ language }: ListAgentTypesRequest): ReturnType<HandlerOf<typeof listAgentTypes>> {
    const choices = this.lists.plain('agent-type', language);
    return choices.map(({ id, keyId, name, label }) => ({ AgentTypeKeyID: keyId, AgentTypeID: id, name, label }));
  }

  @Handles(listIndustries)
  industries({ language }: ListAgentTypesRequest): ReturnType<HandlerOf<typeof listIndustries>> {
    const choices = this.lists.plain('industry', language);
    return choices.map(({ id, keyId, name, label }) => ({ IndustryTypeKeyID: keyId, IndustryTypeID: id, name, label }));
  }

  @Handles(listTones)
  tones({ language }: ListAgentTypesRequest): ReturnType<HandlerOf<typeof listTones>> {
    const choices = this.lists.plain('tone', language);
    return choices.map(({ id, keyId, name, label }) => ({ ToneKeyID: keyId, ToneID: id, name, label }));
  }

  @Handles(listRegions)
  regions({ language }: ListAgentTypesRequest): ReturnType<HandlerOf<typeof listRegions>> {
    return this.lists.regions(language);
  }

  @Handles(listTimeZones)
  timeZones({ language }: ListAgentTypesRequest): ReturnType<HandlerOf<typeof listTimeZones>> {
    return this.clock.list(this.tables.list('time-zone'), language);
  }

  @Handles(listIcons)
  icons({ language }: ListAgentTypesRequest): ReturnType<HandlerOf<typeof listIcons>> {
    return this.lists.icons(language);
  }

  @Handles(listLanguages)
  languages({ language }: ListAgentTypesRequest): ReturnType<HandlerOf<typeof listLanguages>> {
    return this.lists.languages(language);
  }

  @Handles(listAgentTemplates)
  templates({ language }: ListAgentTypesRequest): ReturnType<HandlerOf<typeof listAgentTemplates>> {
    return this.lists.templates(language);
  }
}
