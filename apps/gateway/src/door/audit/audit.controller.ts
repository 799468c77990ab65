import { Controller } from '@nestjs/common';
import { listAudit, sealGatewaySecrets, verifyAudit } from '@parley/contracts';
import { type Call, Handles, type HandlerOf, organizationOf, requireOperator } from '@parley/messaging';
import type { AuditEntryRow } from './audit-entry.entity';
import { AuditReader } from './audit-reader';
import { ChainKeeper } from './chain-keeper';

/** Answers questions about the audit log. */
@Controller()
export class AuditController {
  constructor(
    private readonly reader: AuditReader,
    private readonly chain: ChainKeeper,
  ) {}

  @Handles(listAudit)
  async list(body: Parameters<HandlerOf<typeof listAudit>>[0], call: Call) {
    const page = await this.reader.list(body, organizationOf(call));
    return { ...page, rows: page.rows.map(listed) };
  }

  @Handles(verifyAudit)
  verify(_body: object, call: Call) {
    return this.reader.verify(organizationOf(call), call.signal);
  }

  @Handles(sealGatewaySecrets)
  sealAgain(_body: object, call: Call) {
    requireOperator(call);
    return this.chain.sealAgain();
  }
}

function listed({ id, keyId, integrationKeyId, integrationId, memberId, createdOn, ...row }: AuditEntryRow) {
  return {
    ...row,
    AuditEntryKeyID: keyId,
    AuditEntryID: id,
    memberAdminID: memberId,
    IntegrationKeyID: integrationKeyId,
    IntegrationID: integrationId,
    CreatedOn: createdOn.toISOString(),
  };
}
