// What is in the image, as a CycloneDX document: every package that lies in node_modules, with its licence and the checksum that the
// lock file has for it. `node deploy/sbom.mjs <folder of package.json>`
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** The document for what lies below a folder now. */
export function sbomOf(folder) {
  const own = readJson(path.join(folder, 'package.json'));
  const { packages } = readJson(path.join(folder, 'package-lock.json'));
  const components = installedIn(path.join(folder, 'node_modules')).map((place) => {
    const { name, version, license, licenses } = readJson(path.join(place, 'package.json'));
    const integrity = packages[path.relative(folder, place).split(path.sep).join('/')]?.integrity;
    return {
      type: 'library',
      'bom-ref': `${name}@${version}`,
      name,
      version,
      purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
      licenses: licencesOf(license ?? licenses),
      ...(integrity && {
        hashes: [{ alg: 'SHA-512', content: Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex') }],
      }),
    };
  });
  const unique = [...new Map(components.map((component) => [component['bom-ref'], component])).values()];
  const component = { type: 'application', 'bom-ref': `${own.name}@${own.version}`, name: own.name, version: own.version };
  return { bomFormat: 'CycloneDX', specVersion: '1.6', version: 1, metadata: { component }, components: unique };
}

/** Folders of packages, those inside packages included. A manifest elsewhere in a package only says how its files are loaded. */
function installedIn(modules) {
  const names = existsSync(modules) ? readdirSync(modules) : [];
  return names.flatMap((name) => {
    const place = path.join(modules, name);
    if (name.startsWith('@')) return installedIn(place);
    return existsSync(path.join(place, 'package.json')) ? [place, ...installedIn(path.join(place, 'node_modules'))] : [];
  });
}

/** What a package says of its licence, in any of the ways that packages have had. */
function licencesOf(said) {
  const names = [said].flat().map((each) => (typeof each === 'string' ? each : each?.type));
  return names.filter(Boolean).map((name) => (/ (OR|AND) /.test(name) ? { expression: name } : { license: { name } }));
}

function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}

if (process.argv[1] === import.meta.filename) process.stdout.write(JSON.stringify(sbomOf(process.argv[2] ?? '.')));
