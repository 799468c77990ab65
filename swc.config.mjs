// One set of compiler options for the build and for Jest, so that what is tested is what runs.
import { readdirSync } from 'node:fs';
import path from 'node:path';

// One by one: swc's `*` replaces the last segment of its target and would look for apps/gateway/src/gateway.
const services = (root) =>
  Object.fromEntries(readdirSync(path.join(root, 'apps')).map((app) => [`@parley/apps/${app}`, [`apps/${app}/src/service.ts`]]));

export const swcOptions = (root) => ({
  jsc: {
    parser: { syntax: 'typescript', decorators: true },
    target: 'es2023',
    transform: { legacyDecorator: true, decoratorMetadata: true },
    keepClassNames: true,
    // What runs in a worker or a child process imports its neighbours as `./name.ts`, so that Node can start it uncompiled in tests.
    rewriteRelativeImportExtensions: true,
    baseUrl: path.resolve(root),
    paths: {
      '@parley/apps/gateway/credits': ['apps/gateway/src/money'],
      '@parley/apps/knowledge-ingest/retrieval': ['apps/knowledge-ingest/src/retrieval'],
      '@parley/apps/telephony-bridge/campaigns': ['apps/telephony-bridge/src/campaigns'],
      '@parley/ports/suites': ['libs/ports/src/suites'],
      '@parley/voice-session/scripted': ['libs/voice-session/src/scripted'],
      '@parley/providers/*': ['libs/providers/src/*'],
      ...services(root),
      '@parley/*': ['libs/*/src/index.ts'],
    },
  },
  module: { type: 'commonjs' },
  sourceMaps: true,
  // The sources lie beside; in the maps they would be read into the memory of every process.
  inlineSourcesContent: false,
  swcrc: false,
});
