import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { figuresPage, undefinedFigures } from './figures-page';

const page = path.resolve('docs', 'figures.md');

it('docs/figures.md defines every figure as it is counted (renew it with UPDATE_DOCS=1 jest definitions)', () => {
  if (process.env['UPDATE_DOCS']) writeFileSync(page, figuresPage());
  expect(readFileSync(page, 'utf8')).toBe(figuresPage());
});

it('no figure of an answer, and so of the OpenAPI document, is without its definition', () => {
  expect(undefinedFigures()).toEqual([]);
});
