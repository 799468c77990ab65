import path from 'node:path';
import type { Demo } from './demo/demo-file';
import type { Home } from './home';
import type { Platform } from './platform';

/** What there is to tell. */
export interface Welcome {
  readonly demo: Demo;
  readonly home: Home;
  readonly platform: Platform;
  readonly adminPort: number;
  readonly telephonyPort: number;
  readonly seconds: number;
}

/** What a newcomer sees first: where everything is, and one line to paste that gets an answer. A log is no place for keys. */
export function welcome(
  { demo, home, platform, adminPort, telephonyPort, seconds }: Welcome,
  { showsKeys }: { showsKeys: boolean },
): string {
  const others = platform.baseUrls
    .slice(1)
    .map((url) => `                 ${url}\n`)
    .join('');
  const file = path.resolve(home.path('demo.json'));
  const agentKey = showsKeys ? demo.agentKey : `'"$(node -p 'require("${file}").agentKey')"'`;
  return `
Parley is up (${seconds.toFixed(1)} s).

  API            ${demo.baseUrl}
${others}  talk           ${demo.baseUrl}/demo
  reference      ${demo.baseUrl}/docs
  telephone      http://127.0.0.1:${telephonyPort}/telephony, and npm run call rings the demo agent
  health         http://127.0.0.1:${adminPort}/health/ready
  data           ${home.directory}

${showsKeys ? keysOf(demo, file) : `  keys           in ${file}`}

Ask the demo agent:

  curl -s ${demo.baseUrl}/api/v1/ttt -H 'x-api-key: ${agentKey}' \\
    -H 'content-type: application/json' -d '{"question":"When are you open?"}'

Ctrl-C stops everything.
`;
}

function keysOf({ workspaceKey, agentKey, speechKey }: Demo, file: string): string {
  return `  workspace key  ${workspaceKey}
  agent key      ${agentKey}
  speech key     ${speechKey}
                 (also in ${file})`;
}
