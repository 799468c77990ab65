import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { figuresPage, undefinedFigures } from './figures-page';

const page = path.resolve('docs', 'figures.md');

it('docs/figures.md defines every figure as it is counted (update with UPDATE_DOCS=1 jest definitions)', () => {
  if (process.env['UPDATE_DOCS']) writeFileSync(page, figuresPage());
  expect(readFileSync(page, 'utf8')).toBe(figuresPage());
});

it('every figure in a reply, and so in the OpenAPI document, has a definition', () => {
  expect(undefinedFigures()).toEqual([]);
});
