import type { Home } from '../home';
import type { Platform } from '../platform';
import type { Demo } from './demo-file';

interface Welcome {
  readonly demo: Demo;
  readonly home: Home;
  readonly platform: Platform;
  readonly adminPort: number;
  readonly seconds: number;
}

/** What a newcomer sees first: where everything is, and one line to paste that gets an answer. */
export function welcome({ demo, home, platform, adminPort, seconds }: Welcome): string {
  const others = platform.baseUrls.slice(1).map((url) => `                 ${url}\n`).join('');
  return `
Parley is up (${seconds.toFixed(1)} s).

  API            ${demo.baseUrl}
${others}  talk           ${demo.baseUrl}/demo
  reference      ${demo.baseUrl}/docs
  health         http://127.0.0.1:${adminPort}/health/ready
  data           ${home.directory}

  workspace key  ${demo.workspaceKey}
  agent key      ${demo.agentKey}
  speech key     ${demo.speechKey}
                 (also in ${home.path('demo.json')})

Ask the demo agent:

  curl -s ${demo.baseUrl}/api/v1/ttt -H 'x-api-key: ${demo.agentKey}' \\
    -H 'content-type: application/json' -d '{"question":"When are you open?"}'

Ctrl-C stops everything.
`;
}
