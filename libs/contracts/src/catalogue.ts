import * as everyMessage from './every-message';
import type { MessageContract } from './messages';

/** The name of a message: the name of its constant, which is also its operationId in the API documents. */
export type ContractName = {
  [Name in keyof typeof everyMessage]: (typeof everyMessage)[Name] extends MessageContract ? Name : never;
}[keyof typeof everyMessage];

const named: [string, MessageContract][] = Object.entries(everyMessage).flatMap(([name, value]) =>
  isContract(value) ? [[name, value] satisfies [string, MessageContract]] : [],
);
const nameBySubject = new Map<string, string>(named.map(([name, contract]) => [contract.subject, name]));

/** Every message of the platform, by name. */
export const contractByName: ReadonlyMap<string, MessageContract> = new Map(named);

/** The name of a message in this library. */
export function nameOf(contract: { subject: string }): string {
  const name = nameBySubject.get(contract.subject);
  if (!name) throw new TypeError(`no contract has the subject ${contract.subject}`);
  return name;
}

/** Every schema of a message, with its role. */
export function schemasOf(contract: MessageContract) {
  switch (contract.kind) {
    case 'request':
      return { request: contract.request, reply: contract.reply };
    case 'stream':
      return { request: contract.request, item: contract.item };
    case 'event':
      return { payload: contract.payload };
    case 'channel':
      return { opening: contract.opening, accepted: contract.accepted, signal: contract.signal };
  }
}

function isContract(value: unknown): value is MessageContract {
  return typeof value === 'object' && value !== null && 'kind' in value && 'subject' in value;
}
