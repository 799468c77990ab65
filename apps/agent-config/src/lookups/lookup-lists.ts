import { Injectable } from '@nestjs/common';
import type { listAgentTemplates, listIcons, listLanguages, listRegions } from '@parley/contracts';
import { z } from 'zod';
import { TemplateDetails } from '../templates/agent-template';
import { type Lookup, LookupTables } from './lookup-tables';
import type { LabelLanguage, LookupKind } from './seed/seed-entry';

const Country = z.object({ countryCode: z.string() });

const Picture = z.object({ svg: z.string() });
const Tagged = z.object({ tag: z.string() });
const textsByLabel = { en: 'english', hi: 'hindi', mr: 'marathi' } as const;

/** The tables as forms show them. */
@Injectable()
export class LookupLists {
  constructor(private readonly tables: LookupTables) {}

  /** The choices of a table with nothing beyond a name and a label. */
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

/** What a person reads, in their language. The runtime knows the names of countries and time zones by itself. */
function labelOf(lookup: Lookup, language: LabelLanguage): string {
  if (lookup.labels) return lookup.labels[language];
  if (lookup.kind === 'region')
    return new Intl.DisplayNames([language], { type: 'region' }).of(countryCodeOf(lookup)) ?? lookup.name;
  return lookup.name;
}

function countryCodeOf({ details }: Lookup): string {
  return Country.parse(details).countryCode;
}
