import { Controller, Module } from '@nestjs/common';
import { listMailOutbox } from '@parley/contracts';
import { pageOf, TenantScope } from '@parley/database';
import { type Call, Handles, organizationOf } from '@parley/messaging';
import type { BodyOf, ReplyOf } from '../message-types';
import { containing } from '../search/filters';
import { memberOf } from '../team/membership-rules';
import { MailDispatch } from './mail-dispatch';
import { Mail, MailQueue } from './mail-queue';

const columns = { CreatedOn: 'm.created_on', to: 'm.recipient', status: 'm.status' };

/** What left by mail, or waits to be passed on by hand. */
@Controller()
class MailOutboxController {
  constructor(private readonly tenants: TenantScope) {}

  @Handles(listMailOutbox)
  async list(body: BodyOf<typeof listMailOutbox>, call: Call): Promise<ReplyOf<typeof listMailOutbox>> {
    const orgId = organizationOf(call);
    const page = await this.tenants.read(orgId, async (manager) => {
      const { roleTypeId } = await memberOf(manager, call);
      const query = manager
        .createQueryBuilder(Mail, 'm')
        .where('m.org_id = :orgId AND m.reader_role_max >= :roleTypeId', { orgId, roleTypeId });
      if (body.searchName.trim()) query.andWhere('m.search LIKE :typed', { typed: containing(body.searchName) });
      return pageOf(query, body, { by: columns[body.sortColumn], nulls: 'NULLS LAST' });
    });
    return { ...page, rows: page.rows.map(mailToWire) };
  }
}

function mailToWire({ keyId, id, recipient, subject, text, status, attempts, lastError, createdOn, sentOn }: Mail) {
  return {
    MailKeyID: keyId,
    MailID: id,
    to: recipient,
    subject,
    text,
    status,
    attempts,
    lastError,
    CreatedOn: createdOn.toISOString(),
    sentOn: sentOn?.toISOString() ?? null,
  };
}

/** Mail on its way out. */
@Module({ controllers: [MailOutboxController], providers: [MailDispatch, MailQueue], exports: [MailQueue] })
export class MailModule {}
