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
import { Installation } from '../installation.suite';
import { keyIdOf, lookupKinds } from './lookup-tables';
import { seedEntries } from './seed/seed-lookups';
import { offsetMinutes, TimeZoneClock } from './lookup-lists';

const winterMs = Date.parse('2026-01-15T12:00:00Z');
const summerMs = Date.parse('2026-07-15T12:00:00Z');

describe('lookups', () => {
  let installation: Installation;
  beforeAll(async () => {
    installation = await Installation.start();
  });
  afterAll(() => installation.stop());

  it('keep the ids that clients rely on', async () => {
    const { ask } = installation.member();
    expect((await ask(listLanguages, {})).map(({ LanguageID, name }) => [LanguageID, name])).toEqual([
      [1, 'english'],
      [2, 'hindi'],
      [3, 'marathi'],
    ]);
    expect((await ask(listAgentTypes, {}))[0]).toMatchObject({ AgentTypeID: 1, name: 'Customer support' });
    expect((await ask(listRegions, {}))[0]).toMatchObject({ RegionTypeID: 1, name: 'India', countryCode: 'IN' });
    expect((await ask(listTimeZones, {}))[0]).toMatchObject({
      TimeZoneID: 1,
      name: 'Asia/Kolkata',
      formerNames: ['Asia/Calcutta'],
      utcOffsetMinutes: 330,
    });
    expect(keyIdOf({ kind: 'language', id: 1 })).toBe('693ebe36-6ab4-551b-a33d-00b19624e0e3');
  });

  it('are numbered without gaps, and every entry has a public id of its own', () => {
    for (const kind of lookupKinds) {
      const ids = seedEntries.filter((entry) => entry.kind === kind).map(({ id }) => id);
      expect(ids).toEqual(ids.map((_, index) => index + 1));
    }
    expect(new Set(seedEntries.map(keyIdOf)).size).toBe(seedEntries.length);
  });

  it('are given in the reader’s language', async () => {
    const { ask } = installation.member();
    expect((await ask(listTones, { language: 'hi' }))[0]).toMatchObject({ name: 'Friendly', label: 'मित्रवत' });
    expect((await ask(listIndustries, { language: 'mr' }))[1]).toMatchObject({ name: 'Healthcare', label: 'आरोग्य सेवा' });
    expect((await ask(listRegions, { language: 'hi' }))[0]).toMatchObject({ name: 'India', label: 'भारत' });
    expect((await ask(listTimeZones, { language: 'mr' }))[0]?.label).toBe('भारतीय प्रमाण वेळ');
  });

  it('show icons as SVG without scripts', async () => {
    for (const { svg } of await installation.member().ask(listIcons, {})) {
      expect(svg).toMatch(/^<svg [^>]*viewBox="0 0 24 24"[^>]*>(<(path|rect|circle)( [a-z]+="[^"<>]*")+\/>)+<\/svg>$/);
    }
  });

  it('offer twelve templates in three languages', async () => {
    const { ask } = installation.member();
    for (const language of ['en', 'hi', 'mr'] as const) {
      const templates = await ask(listAgentTemplates, { language });
      expect(templates.length).toBeGreaterThanOrEqual(12);
      expect(new Set(templates.map(({ label }) => label)).size).toBe(templates.length);
      for (const { Greeting } of templates) if (language !== 'en') expect(Greeting).toMatch(/\p{Script=Devanagari}/u);
    }
  });

  it('know the current offset of a time zone, also where clocks change', () => {
    expect([offsetMinutes('Europe/Berlin', winterMs), offsetMinutes('Europe/Berlin', summerMs)]).toEqual([60, 120]);
    expect(offsetMinutes('Asia/Kathmandu', winterMs)).toBe(345);
    expect(offsetMinutes('America/St_Johns', winterMs)).toBe(-210);
    const clock = new TimeZoneClock();
    const zone = {
      kind: 'time-zone' as const,
      id: 1,
      keyId: keyIdOf({ kind: 'time-zone', id: 1 }),
      name: 'Europe/Berlin',
      labels: null,
      details: {},
    };
    expect(clock.list([zone], 'en', winterMs)[0]?.utcOffsetMinutes).toBe(60);
    expect(clock.list([zone], 'en', summerMs)[0]?.utcOffsetMinutes).toBe(120);
  });
});
