import { Injectable } from '@nestjs/common';
import type { getRuntimeConfig, RuntimeConfig, saveRuntimeConfig } from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { type Call, organizationOf } from '@parley/messaging';
import type { z } from 'zod';
import { findAgent } from '../agents/caller';
import { AgentHistory, requireVersion } from '../versions/agent-history';
import { publicRuntime } from './public-runtime';
import { RuntimeCheck } from './runtime-check';
import { RuntimeSecrets } from './runtime-secrets';

/** How agents hear, think and speak. A configuration is a part of its agent: saving it makes a version. */
@Injectable()
export class RuntimeConfigs {
  constructor(
    private readonly tenants: TenantScope,
    private readonly checks: RuntimeCheck,
    private readonly secrets: RuntimeSecrets,
    private readonly history: AgentHistory,
  ) {}

  async save({ Version, ...settings }: z.output<typeof saveRuntimeConfig.request>, call: Call): Promise<RuntimeConfig> {
    const orgId = organizationOf(call);
    await this.checks.check(settings, orgId);
    return this.tenants.run(orgId, async (manager) => {
      const stored = await findAgent(manager, call, { AgentID: settings.AgentID }, { isForUpdate: true });
      requireVersion(stored, Version);
      const runtime = await this.secrets.sealed(manager, stored, settings);
      return publicRuntime(await this.history.keep(manager, call, { stored, state: { definition: stored.definition, runtime } }));
    });
  }

  get(choice: z.output<typeof getRuntimeConfig.request>, call: Call): Promise<RuntimeConfig> {
    return this.tenants.read(organizationOf(call), async (manager) => publicRuntime(await findAgent(manager, call, choice)));
  }
}
