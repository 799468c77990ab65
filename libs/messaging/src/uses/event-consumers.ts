import { contractByName, type ServiceName, serviceNames, type Subject } from '@parley/contracts';
import type { Caller } from '../access/signed-principals';

/** How one process uses messages owned by others, by contract name. */
export interface MessageUse {
  /** Requests, streams and channels that it sends. */
  readonly asks: readonly string[];
  /** Events that it consumes, each once in the whole service. */
  readonly consumes: readonly string[];
  /** Events that every replica hears. */
  readonly hears: readonly string[];
}

/** Which messages each connecting process uses. */
export type MessageUses = Readonly<Record<Caller, MessageUse>>;

interface EventConsumer {
  readonly group: ServiceName;
  readonly subject: Subject;
}

/** Every service that consumes an event, once for each event. */
export function eventConsumers(uses: MessageUses): EventConsumer[] {
  return serviceNames.flatMap((group) =>
    uses[group].consumes.map((name) => {
      const contract = contractByName.get(name);
      if (!contract) throw new TypeError(`there is no contract ${name}`);
      return { group, subject: contract.subject };
    }),
  );
}
