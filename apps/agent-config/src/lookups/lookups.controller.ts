import { Controller } from '@nestjs/common';
import {
  listAgentTemplates,
  listAgentTypes,
  listIcons,
  listIndustries,
  listLanguages,
  listRegions,
  listTimeZones,
  listTones,
} from '@parley/contracts';
import { Handles, type HandlerOf } from '@parley/messaging';
import type { z } from 'zod';
import { LookupLists } from './lookup-lists';
import { LookupTables } from './lookup-tables';
import { TimeZoneClock } from './time-zone-clock';

type Query = z.output<typeof listAgentTypes.request>;

/** The tables that forms choose from, over the bus. */
@Controller()
export class LookupsController {
  constructor(
    private readonly tables: LookupTables,
    private readonly lists: LookupLists,
    private readonly clock: TimeZoneClock,
  ) {}

  @Handles(listAgentTypes)
  agentTypes({ language }: Query): ReturnType<HandlerOf<typeof listAgentTypes>> {
    const choices = this.lists.plain('agent-type', language);
    return choices.map(({ id, keyId, name, label }) => ({ AgentTypeKeyID: keyId, AgentTypeID: id, name, label }));
  }

  @Handles(listIndustries)
  industries({ language }: Query): ReturnType<HandlerOf<typeof listIndustries>> {
    const choices = this.lists.plain('industry', language);
    return choices.map(({ id, keyId, name, label }) => ({ IndustryTypeKeyID: keyId, IndustryTypeID: id, name, label }));
  }

  @Handles(listTones)
  tones({ language }: Query): ReturnType<HandlerOf<typeof listTones>> {
    const choices = this.lists.plain('tone', language);
    return choices.map(({ id, keyId, name, label }) => ({ ToneKeyID: keyId, ToneID: id, name, label }));
  }

  @Handles(listRegions)
  regions({ language }: Query): ReturnType<HandlerOf<typeof listRegions>> {
    return this.lists.regions(language);
  }

  @Handles(listTimeZones)
  timeZones({ language }: Query): ReturnType<HandlerOf<typeof listTimeZones>> {
    return this.clock.list(this.tables.list('time-zone'), language);
  }

  @Handles(listIcons)
  icons({ language }: Query): ReturnType<HandlerOf<typeof listIcons>> {
    return this.lists.icons(language);
  }

  @Handles(listLanguages)
  languages({ language }: Query): ReturnType<HandlerOf<typeof listLanguages>> {
    return this.lists.languages(language);
  }

  @Handles(listAgentTemplates)
  templates({ language }: Query): ReturnType<HandlerOf<typeof listAgentTemplates>> {
    return this.lists.templates(language);
  }
}
