import { examplesOf, saveAgent } from '@parley/contracts';
import { z } from 'zod';
import type { RunningPlatform } from './running-platform';

const Saved = z.object({ data: z.object({ AgentKeyID: z.string() }) });
const unlimited = { limit: 10_000_000, windowSeconds: 60 };
const quotas = { chat: unlimited, speech: unlimited };

/** The environment for a platform whose agents use this model, without limits. */
export function modelEnvironment(modelPort: number): NodeJS.ProcessEnv {
  return {
    LLM_BASE_URL: `http://127.0.0.1:${modelPort}/v1`,
    LLM_MODEL: 'stub',
    RATE_LIMIT_PLANS: JSON.stringify({ bench: { key: quotas, organization: quotas } }),
    ORGANIZATION_PLANS: '1=bench',
    // A thousand open streams of one key are measured.
    LONG_REQUESTS_PER_KEY: '2000',
    LONG_REQUESTS_PER_ORGANIZATION: '2000',
    LONG_REQUESTS_PER_ADDRESS: '2000',
  };
}

/** The API document's example of an agent to save. */
export const writtenAgent = (): Record<string, unknown> =>
  z.record(z.string(), z.unknown()).parse(examplesOf(saveAgent.request)[0]);

/** An agent without a knowledge base, so that every question goes to the model. Returns its AgentKeyID. */
export async function agentWithoutKnowledge({ demo }: Pick<RunningPlatform, 'demo'>): Promise<string> {
  const fields = { AgentName: 'Whale', AdminID: null, AgentKeyID: null, KBID: null };
  const response = await fetch(`${demo.baseUrl}/api/v1/external/agent/add-update-agent`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': demo.workspaceKey },
    body: JSON.stringify({ ...writtenAgent(), ...fields }),
  });
  return Saved.parse(await response.json()).data.AgentKeyID;
}
