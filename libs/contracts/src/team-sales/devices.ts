import { createHash } from 'node:crypto';
import { z } from 'zod';
import { defineRequest } from '../messages';
import { blankOr, createdOnExample, described, Email, memberKeyExample, Timestamp, Uuid } from '../vocabulary';

const imeiDigits = 15;

function hasLuhnChecksum(digits: string): boolean {
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 1 ? 2 : 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}

/** A device identifier: 15 digits whose last one is the checksum. */
export const Imei = z
  .string()
  .regex(new RegExp(`^\\d{${imeiDigits}}$`), `must have ${imeiDigits} digits`)
  .refine(hasLuhnChecksum, 'is not a valid IMEI: its check digit is wrong');

/** The header by which the mobile app says which device it runs on. */
export const deviceHeader = 'x-device-imei';

/** What tells devices apart where the IMEI itself has no business. */
export function deviceHash(imei: string): string {
  return createHash('sha256').update(`device ${imei}`).digest('base64url');
}

const DeviceLock = described(
  'DeviceLock',
  'The device that a mobile member is bound to.',
  z.object({ memberAdminID: Uuid, userID: z.int(), IMEI: z.string(), isBound: z.boolean(), boundOn: Timestamp.nullable() }),
  { memberAdminID: memberKeyExample, userID: 31, IMEI: '490154203237518', isBound: true, boundOn: createdOnExample },
);

/** Arrives as a multipart form. An empty IMEI clears the lock, another one moves it. */
export const resetImei = defineRequest({
  subject: 'team-sales.device.reset',
  request: described(
    'ResetImeiRequest',
    'The member, named twice so that a mistyped id resets nobody else, and the new lock.',
    z.object({ memberAdminID: Uuid, email: Email, IMEI: blankOr(Imei, 'an IMEI: 15 digits with a right check digit') }),
    { memberAdminID: memberKeyExample, email: 'asha@example.com', IMEI: '' },
  ),
  reply: DeviceLock,
});

/** The calling member binds the device that it calls from. */
export const bindImei = defineRequest({
  subject: 'team-sales.device.bind',
  request: described('BindImeiRequest', 'The device of the caller.', z.object({ IMEI: Imei }), { IMEI: '490154203237518' }),
  reply: DeviceLock,
});
