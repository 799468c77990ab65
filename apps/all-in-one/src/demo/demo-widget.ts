import { listWidgets, type Principal, saveWidget } from '@parley/contracts';
import type { ServiceBus } from '@parley/messaging';
import type { Seeded } from './demo-file';

const name = 'Demo page';

/** Lets pages of these addresses talk with the demo agent; answers the public id of the widget for it. */
export async function openDemoWidget(
  bus: ServiceBus,
  { OrgID, AgentKeyID }: Seeded,
  addresses: readonly string[],
): Promise<string> {
  const principal: Principal = { kind: 'wsk', keyId: 'start', orgId: OrgID, roleTypeId: 1 };
  const { rows } = await bus.ask(listWidgets, { pageSize: 200, sortColumn: 'CreatedOn', sortOrder: 'ASC' }, { principal });
  const known = rows.find((widget) => widget.name === name && widget.AgentKeyID === AgentKeyID);
  const body = {
    WidgetKeyID: known?.WidgetKeyID ?? null,
    name,
    AgentKeyID,
    allowedOrigins: originsOf(addresses),
    isActive: true,
  };
  return (await bus.ask(saveWidget, body, { principal })).publicId;
}

/** The origins that a browser names for these addresses; one machine is called by several names. */
function originsOf(addresses: readonly string[]): string[] {
  const names = addresses.flatMap((address) => {
    const url = new URL(address);
    const isThisMachine = ['127.0.0.1', 'localhost', '0.0.0.0', '[::]'].includes(url.hostname);
    const here = ['127.0.0.1', 'localhost'].map((host) => `${url.protocol}//${host}${url.port && `:${url.port}`}`);
    return [url.origin, ...(isThisMachine ? here : [])];
  });
  return [...new Set(names)];
}
