import { z } from 'zod';
import { defineRequest } from '../messages';
import { described, LookupQuery, Uuid, wholeListOf } from '../vocabulary';

const key = '55f3b5d7-9e1a-4c3d-8e5f-7a9b1c3d5e7f';

const AgentType = described(
  'AgentType',
  'A kind of agent.',
  z.object({ AgentTypeKeyID: Uuid, AgentTypeID: z.int(), name: z.string(), label: z.string() }),
  { AgentTypeKeyID: key, AgentTypeID: 1, name: 'Customer support', label: 'Customer support' },
);
const Region = described(
  'Region',
  'A region of the world.',
  z.object({
    RegionTypeKeyID: Uuid,
    RegionTypeID: z.int(),
    name: z.string(),
    label: z.string(),
    countryCode: z.string().nullable(),
  }),
  { RegionTypeKeyID: key, RegionTypeID: 1, name: 'India', label: 'India', countryCode: 'IN' },
);
const TimeZone = described(
  'TimeZone',
  'An IANA time zone with its current offset.',
  z.object({
    TimeZoneKeyID: Uuid,
    TimeZoneID: z.int(),
    name: z.string(),
    formerNames: z.array(z.string()),
    label: z.string(),
    utcOffsetMinutes: z.int(),
  }),
  {
    TimeZoneKeyID: key,
    TimeZoneID: 1,
    name: 'Asia/Kolkata',
    formerNames: ['Asia/Calcutta'],
    label: 'India Standard Time',
    utcOffsetMinutes: 330,
  },
);
const Industry = described(
  'Industry',
  'An industry.',
  z.object({ IndustryTypeKeyID: Uuid, IndustryTypeID: z.int(), name: z.string(), label: z.string() }),
  { IndustryTypeKeyID: key, IndustryTypeID: 1, name: 'Retail', label: 'Retail' },
);
const Tone = described(
  'Tone',
  'A tone of voice.',
  z.object({ ToneKeyID: Uuid, ToneID: z.int(), name: z.string(), label: z.string() }),
  { ToneKeyID: key, ToneID: 1, name: 'Friendly', label: 'Friendly' },
);
const Icon = described(
  'Icon',
  'A picture for an agent.',
  z.object({ IconKeyID: Uuid, IconID: z.int(), name: z.string(), label: z.string(), svg: z.string() }),
  { IconKeyID: key, IconID: 1, name: 'headset', label: 'Headset', svg: '<svg xmlns="http://www.w3.org/2000/svg"/>' },
);
const Language = described(
  'Language',
  'A language that agents speak. `name` is the value that the speech endpoints accept.',
  z.object({ LanguageKeyID: Uuid, LanguageID: z.int(), name: z.string(), label: z.string(), tag: z.string() }),
  { LanguageKeyID: key, LanguageID: 1, name: 'english', label: 'English', tag: 'en-IN' },
);
const AgentTemplate = described(
  'AgentTemplate',
  'A ready-made agent to start from.',
  z.object({
    TemplateKeyID: Uuid,
    TemplateID: z.int(),
    name: z.string(),
    label: z.string(),
    AgentName: z.string(),
    AgentDescription: z.string(),
    Greeting: z.string(),
    AgentTypeID: z.int(),
    IndustryTypeID: z.int(),
    ToneID: z.int(),
    IconID: z.int(),
  }),
  {
    TemplateKeyID: key,
    TemplateID: 1,
    name: 'appointment-booking',
    label: 'Appointment booking',
    AgentName: 'Maya',
    AgentDescription: 'Books appointments.',
    Greeting: 'Hello!',
    AgentTypeID: 1,
    IndustryTypeID: 1,
    ToneID: 1,
    IconID: 1,
  },
);

export const listAgentTypes = defineRequest({
  subject: 'agent-config.agent-type.list',
  request: LookupQuery,
  reply: wholeListOf('AgentTypes', AgentType),
});
export const listRegions = defineRequest({
  subject: 'agent-config.region.list',
  request: LookupQuery,
  reply: wholeListOf('Regions', Region),
});
export const listTimeZones = defineRequest({
  subject: 'agent-config.time-zone.list',
  request: LookupQuery,
  reply: wholeListOf('TimeZones', TimeZone),
});
export const listIndustries = defineRequest({
  subject: 'agent-config.industry.list',
  request: LookupQuery,
  reply: wholeListOf('Industries', Industry),
});
export const listTones = defineRequest({
  subject: 'agent-config.tone.list',
  request: LookupQuery,
  reply: wholeListOf('Tones', Tone),
});
export const listIcons = defineRequest({
  subject: 'agent-config.icon.list',
  request: LookupQuery,
  reply: wholeListOf('Icons', Icon),
});
export const listLanguages = defineRequest({
  subject: 'agent-config.language.list',
  request: LookupQuery,
  reply: wholeListOf('Languages', Language),
});
export const listAgentTemplates = defineRequest({
  subject: 'agent-config.agent-template.list',
  request: LookupQuery,
  reply: wholeListOf('AgentTemplates', AgentTemplate),
});
