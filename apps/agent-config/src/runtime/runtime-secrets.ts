import { Injectable } from '@nestjs/common';
import type { RuntimeSettings } from '@parley/contracts';
import type { EntityManager } from 'typeorm';
import type { Agent } from '../agents/agent.entity';
import { invalidFields } from '../refusals/invalid-fields';
import { SecretStore } from '../secrets/secret-store';
import { effectiveRuntime } from './effective-runtime';
import { type Header, mapHeaders, mask, referenceTo, secretIdOf, type Tool, type Tools } from './secret-headers';

/** The secrets in an agent's tools: written once, read back masked, told to conversations alone. */
@Injectable()
export class RuntimeSecrets {
  constructor(private readonly store: SecretStore) {}

  /** Settings as they are stored: each secret replaced by its reference, a masked one by the reference that it had. */
  async sealed(manager: EntityManager, agent: Agent, settings: RuntimeSettings): Promise<RuntimeSettings> {
    const { Tools: before } = effectiveRuntime(agent);
    const references = new Map<Header, string>();
    for (const tool of settings.Tools) {
      for (const header of tool.headers.filter(({ isSecret }) => isSecret)) {
        references.set(header, await this.referenceFor(manager, agent.orgId, { tool, header, before }));
      }
    }
    return {
      ...settings,
      Tools: mapHeaders(settings.Tools, (header) => ({ ...header, value: references.get(header) ?? header.value })),
    };
  }

  /** Settings as a conversation needs them. */
  async opened(manager: EntityManager, agent: Agent): Promise<RuntimeSettings> {
    const settings = effectiveRuntime(agent);
    const ids = settings.Tools.flatMap(({ headers }) => headers.flatMap((header) => secretIdOf(header) ?? []));
    const secrets = await this.store.open(manager, agent.orgId, ids);
    const openedHeader = (header: Header) => ({ ...header, value: secrets.get(secretIdOf(header) ?? '') ?? header.value });
    return { ...settings, Tools: mapHeaders(settings.Tools, openedHeader) };
  }

  private async referenceFor(
    manager: EntityManager,
    orgId: number,
    sent: { tool: Tool; header: Header; before: Tools },
  ): Promise<string> {
    const { tool, header, before } = sent;
    if (header.value !== mask) return referenceTo(await this.store.put(manager, orgId, header.value));
    const known = before
      .find(({ name }) => name === tool.name)
      ?.headers.find(({ name }) => name.toLowerCase() === header.name.toLowerCase());
    if (known && secretIdOf(known) !== undefined) return known.value;
    const field = `Tools.${tool.name}.headers.${header.name}`;
    throw invalidFields([{ field, message: `${field} is masked, but no secret is stored for it` }]);
  }
}
