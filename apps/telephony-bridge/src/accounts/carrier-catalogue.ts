import { Fault } from '@parley/contracts';
import type { CarrierDescriptor, CarrierSurroundings } from '@parley/ports';
import { fetchPublicServer, isPublicAddress } from '@parley/service-kit';

const onlyInPrivate =
  'This carrier sends to any host that its account names. Whoever runs this installation allows it by CARRIERS_IN_PRIVATE_NETWORKS.';

/** Every carrier that this build has. */
export class CarrierCatalogue {
  private readonly byId: ReadonlyMap<string, CarrierDescriptor>;

  /** How far the servers that customers name may be: without leave, nothing in private networks is asked or sent to. */
  readonly reach: Pick<CarrierSurroundings, 'fetch' | 'reaches'>;

  constructor(
    readonly descriptors: readonly CarrierDescriptor[],
    private readonly rules: { readonly isPrivateAllowed: boolean },
  ) {
    this.reach = rules.isPrivateAllowed ? { fetch } : { fetch: fetchPublicServer, reaches: isPublicAddress };
    this.byId = new Map(descriptors.map((descriptor) => [descriptor.id, descriptor]));
  }

  /** The carrier of this name; VALIDATION_FAILED names those that there are. */
  descriptorOf(carrier: string): CarrierDescriptor {
    const descriptor = this.byId.get(carrier);
    if (descriptor?.capabilities.reachesAnyHost && !this.rules.isPrivateAllowed)
      throw new Fault('CONFLICT', { message: onlyInPrivate });
    if (descriptor) return descriptor;
    const message = `must be one of ${[...this.byId.keys()].join(', ')}`;
    throw new Fault('VALIDATION_FAILED', { details: [{ field: 'carrier', message }] });
  }
}
