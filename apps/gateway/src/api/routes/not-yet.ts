import { type ContractName, nameOf } from '@parley/contracts';

/** Messages that no service answers yet: the gateway answers 501 NOT_IMPLEMENTED for them. A line goes away with its handler. */
export const notYet: readonly ContractName[] = [];

const unanswered: ReadonlySet<string> = new Set(notYet);

/** Whether some service answers this message. */
export function isAnswered({ contract }: { contract: { subject: string } }): boolean {
  return !unanswered.has(nameOf(contract));
}
