import { Injectable } from '@nestjs/common';
import { callOrdered, type CallOrder } from '@parley/contracts';
import { Outbox, TenantScope } from '@parley/database';

/** Tells the replica that holds a call what is to be done to it. */
@Injectable()
export class CallRelay {
  constructor(
    private readonly tenants: TenantScope,
    private readonly outbox: Outbox,
  ) {}

  async send(orgId: number, payload: CallOrder): Promise<void> {
    await this.tenants.run(orgId, (manager) => this.outbox.add(manager, callOrdered, { orgId, payload }));
  }
}
