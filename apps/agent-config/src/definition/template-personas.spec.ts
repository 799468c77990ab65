import { readFileSync } from 'node:fs';
import path from 'node:path';
import { TemplateDetails } from '../lookups/lookup-tables';
import { templateEntries } from '../lookups/seed/seed-lookups';
import { composePersona } from './agent-prompts';

const personas = templateEntries.map(({ name, details }) => {
  const { agentName, description, systemPrompt } = TemplateDetails.parse(details).texts.english;
  const parts = { name: agentName, type: name, industry: 'Retail', region: 'India', manner: 'Be warm.' };
  return [name, composePersona({ ...parts, description, instructions: systemPrompt })] as const;
});
const fileOf = (name: string) => path.join(__dirname, 'golden', `${name.toLowerCase().replace(/[^a-z]+/gu, '-')}.txt`);

describe('the persona of a template', () => {
  it.each(personas)('equals the text in golden/: %s', (name, persona) => {
    expect(persona).toBe(readFileSync(fileOf(name), 'utf8').trimEnd());
  });
});
