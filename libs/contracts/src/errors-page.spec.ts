import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorsPage, faultCatalogue, faultCodes } from './faults';

const page = join(__dirname, '../../../docs/errors.md');

describe('docs/errors.md', () => {
  it('matches the catalogue (update with UPDATE_DOCS=1 jest errors-page)', () => {
    if (process.env.UPDATE_DOCS) writeFileSync(page, errorsPage());
    expect(readFileSync(page, 'utf8')).toBe(errorsPage());
  });

  it('names every code of the catalogue once', () => {
    const named = [...errorsPage().matchAll(/^\| `(\w+)`/gm)].map(([, code]) => code);
    expect(named).toEqual(Object.keys(faultCatalogue));
    expect(faultCodes).toHaveLength(named.length);
  });
});
