import { Injectable } from '@nestjs/common';
import { bindImei, deviceHash, deviceHeader, Fault, Imei, nameOf, type Principal } from '@parley/contracts';
import { ServiceBus } from '@parley/messaging';
import type { FastifyRequest } from 'fastify';
import type { Endpoint } from '../../endpoint/endpoint';
import { knowsMembers } from '../../endpoint/gateway-call';

const field = 'X-Device-IMEI';
/** A member registers their device with this request, which refuses another member's device itself. */
const freedFromDevice = nameOf(bindImei);

/** Binds members of the mobile app to their devices: a copied key is useless elsewhere. */
@Injectable()
export class Devices {
  constructor(private readonly bus: ServiceBus) {}

  /** Refuses a request that must name a device and names none, a different one, or an invalid IMEI. */
  check({ device }: Principal, endpoint: Endpoint, request: FastifyRequest): void {
    if (!isHeld(endpoint)) return;
    const given = deviceOf(request);
    if (device !== undefined && (given === undefined || deviceHash(given) !== device)) throw lockedOut(given);
  }

  /** Binds a mobile member to the first device they name. Returns a promise only if it does so now. */
  bind(principal: Principal, endpoint: Endpoint, request: FastifyRequest): void | Promise<void> {
    if (!principal.awaitsDevice || !isHeld(endpoint)) return;
    const given = deviceOf(request);
    return given === undefined ? undefined : this.bindTo(principal, given);
  }

  private async bindTo(principal: Principal, IMEI: string): Promise<void> {
    try {
      await this.bus.ask(bindImei, { IMEI }, { principal });
    } catch (error) {
      if (!(error instanceof Fault) || (error.code !== 'CONFLICT' && error.code !== 'DEVICE_LOCKED')) throw error;
      throw locked(error.code === 'CONFLICT' ? 'names the device of another member' : 'names another device');
    }
  }
}

function isHeld(endpoint: Endpoint): boolean {
  return knowsMembers(endpoint) && endpoint.operationId !== freedFromDevice;
}

function deviceOf({ headers }: FastifyRequest): string | undefined {
  const given = headers[deviceHeader];
  if (given === undefined) return undefined;
  const { data, error } = Imei.safeParse(given);
  if (data !== undefined) return data;
  const message = `${field} ${error?.issues[0]?.message ?? 'is not valid'}`;
  throw new Fault('VALIDATION_FAILED', { message, details: [{ field, message }] });
}

function lockedOut(given: string | undefined): Fault {
  return locked(given === undefined ? 'is missing' : 'names another device');
}

function locked(problem: string): Fault {
  const details = [{ field, message: `${field} ${problem}` }];
  return new Fault('DEVICE_LOCKED', { message: `This member acts from one device: ${field} ${problem}.`, details });
}
