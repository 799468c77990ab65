import { Controller } from '@nestjs/common';
import { createKey, listKeys, revokeKey, rotateKey } from '@parley/contracts';
import { type Call, Handles, type HandlerOf, organizationOf } from '@parley/messaging';
import { callerOf } from './caller-of';
import { listed } from './key-row';
import { type Issued, KeysService } from './keys.service';

type BodyOf<Contract extends Parameters<typeof Handles>[0]> = Parameters<HandlerOf<Contract>>[0];

/** Answers for API keys on the bus, to the gateway's own routes as to everybody else. */
@Controller()
export class KeysController {
  constructor(private readonly keys: KeysService) {}

  @Handles(createKey)
  async create(body: BodyOf<typeof createKey>, call: Call) {
    return shown(await this.keys.create(body, callerOf(call)));
  }

  @Handles(listKeys)
  async list(body: BodyOf<typeof listKeys>, call: Call) {
    const page = await this.keys.list(body, organizationOf(call));
    return { ...page, rows: page.rows.map(listed) };
  }

  @Handles(rotateKey)
  async rotate({ IntegrationKeyID, graceSeconds }: BodyOf<typeof rotateKey>, call: Call) {
    return shown(await this.keys.rotate(IntegrationKeyID, graceSeconds, callerOf(call)));
  }

  @Handles(revokeKey)
  async revoke({ IntegrationKeyID }: BodyOf<typeof revokeKey>, call: Call) {
    return listed(await this.keys.revoke(IntegrationKeyID, callerOf(call)));
  }
}

/** The one answer that carries the secret. */
function shown({ row, key }: Issued) {
  return { ...listed(row), key };
}
