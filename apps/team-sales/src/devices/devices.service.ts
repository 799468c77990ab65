import { Controller, Injectable } from '@nestjs/common';
import { bindImei, type BodyOf, Fault, readDeviceLock, type ReplyOf, resetImei } from '@parley/contracts';
import { isUniqueViolation, TenantScope } from '@parley/database';
import { type Call, Handles, organizationOf } from '@parley/messaging';
import type { EntityManager } from 'typeorm';
import { noteSeen } from '../team/representatives';
import { refuseToTouch } from '../roles/granting';
import { canonicalEmail, findMember, lockTeam, type Member, MemberEvents, memberOf } from '../team/membership-rules';
import { Membership } from '../team/membership.entity';

type Lock = ReplyOf<typeof resetImei>;

/** The device that each mobile member calls from. */
@Injectable()
export class DevicesService {
  constructor(
    private readonly tenants: TenantScope,
    private readonly events: MemberEvents,
  ) {}

  /** The first device is bound to the member; any other is refused until the lock is reset. */
  bind({ IMEI }: BodyOf<typeof bindImei>, call: Call): Promise<Lock> {
    return this.change(call, async (manager) => {
      const member = await memberOf(manager, call);
      if (member.userType !== 'Mobile App')
        throw new Fault('CONFLICT', { message: 'Only a member of the mobile app has a device.' });
      if (member.imei !== null && member.imei !== IMEI) throw new Fault('DEVICE_LOCKED');
      await noteSeen(manager, member);
      return member.imei === IMEI ? lockOf(member) : this.setDevice(manager, member, IMEI);
    });
  }

  /** An empty IMEI unbinds the device, so that the next one is bound; another IMEI is bound at once. */
  reset({ memberAdminID, email, IMEI }: BodyOf<typeof resetImei>, call: Call): Promise<Lock> {
    return this.change(call, async (manager) => {
      const actor = await memberOf(manager, call);
      const member = await findMember(manager, { orgId: actor.orgId, memberId: memberAdminID });
      if (member.email !== canonicalEmail(email))
        throw new Fault('NOT_FOUND', { message: 'No member has this id and this e-mail address.' });
      refuseToTouch(actor, member);
      if (member.userType !== 'Mobile App' && IMEI !== '')
        throw new Fault('CONFLICT', { message: 'Only a member of the mobile app has a device.' });
      return this.setDevice(manager, member, IMEI === '' ? null : IMEI);
    });
  }

  read({ memberAdminID }: BodyOf<typeof readDeviceLock>, call: Call): Promise<Lock> {
    const orgId = organizationOf(call);
    return this.tenants.read(orgId, async (manager) =>
      lockOf(memberAdminID ? await findMember(manager, { orgId, memberId: memberAdminID }) : await memberOf(manager, call)),
    );
  }

  private change(call: Call, work: (manager: EntityManager) => Promise<Lock>): Promise<Lock> {
    const orgId = organizationOf(call);
    return this.tenants.run(orgId, async (manager) => {
      await lockTeam(manager, orgId);
      return work(manager);
    });
  }

  /** Gateways enforce the device on a member's requests, so they are told of a new one. */
  private async setDevice(manager: EntityManager, member: Member, imei: string | null): Promise<Lock> {
    const device = { imei, imeiBoundOn: imei === null ? null : new Date() };
    try {
      await manager.update(Membership, { id: member.id }, device);
    } catch (error) {
      if (!isUniqueViolation(error, 'memberships_one_per_device')) throw error;
      throw new Fault('CONFLICT', { message: 'This device belongs to another member.' });
    }
    await this.events.changed(manager, member);
    return lockOf({ ...member, ...device });
  }
}

function lockOf({ memberKeyId, userId, imei, imeiBoundOn }: Member): Lock {
  return {
    memberAdminID: memberKeyId,
    userID: userId,
    IMEI: imei ?? '',
    isBound: imei !== null,
    boundOn: imeiBoundOn?.toISOString() ?? null,
  };
}

/** Device locks over the bus. */
@Controller()
export class DevicesController {
  constructor(private readonly devices: DevicesService) {}

  @Handles(bindImei)
  bind(body: BodyOf<typeof bindImei>, call: Call): Promise<ReplyOf<typeof bindImei>> {
    return this.devices.bind(body, call);
  }

  @Handles(readDeviceLock)
  read(body: BodyOf<typeof readDeviceLock>, call: Call): Promise<ReplyOf<typeof readDeviceLock>> {
    return this.devices.read(body, call);
  }

  @Handles(resetImei)
  reset(body: BodyOf<typeof resetImei>, call: Call): Promise<ReplyOf<typeof resetImei>> {
    return this.devices.reset(body, call);
  }
}
