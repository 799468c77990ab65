// Stand-ins for the images of the profiles mail, storage and observability, around programs built from their published Go modules, and
// Debian's Prometheus. Grafana is not among them.
// `node deploy/stand-ins/optional.mjs FOLDER`, with the programs mailpit, versitygw, otelcol, jaeger and prometheus in the folder.
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { composeImage } from '../compose-environment.mjs';
import { engineShown, findEngine } from './engine.mjs';

const base = 'node:24-bookworm-slim';
const programs = {
  mail: 'mailpit',
  storage: 'versitygw',
  'otel-collector': 'otelcol',
  jaeger: 'jaeger',
  prometheus: 'prometheus',
};
const [from] = process.argv.slice(2);
const engineName = findEngine();
if (!from || !engineName)
  throw new Error('usage: node deploy/stand-ins/optional.mjs FOLDER, with podman or docker on this machine');

for (const [service, program] of Object.entries(programs)) {
  const context = mkdtempSync(path.join(tmpdir(), 'parley-stand-in-'));
  try {
    mkdirSync(path.join(context, 'bin'));
    cpSync(path.join(from, program), path.join(context, 'bin', program));
    const entry = `FROM ${base}\nCOPY bin/ /usr/local/bin/\nENTRYPOINT ["/usr/local/bin/${program}"]\n`;
    writeFileSync(path.join(context, 'Dockerfile'), entry);
    await engineShown(engineName, ['build', '--tag', composeImage(service), context]);
  } finally {
    rmSync(context, { recursive: true, force: true });
  }
}
