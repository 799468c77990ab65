import { Controller } from '@nestjs/common';
import { listRoles } from '@parley/contracts';
import { Handles } from '@parley/messaging';
import type { BodyOf, ReplyOf } from '../message-types';
import { rolesIn } from './granting';

/** The roles as a form offers them. */
@Controller()
export class RolesController {
  @Handles(listRoles)
  list({ language }: BodyOf<typeof listRoles>): ReplyOf<typeof listRoles> {
    return rolesIn(language);
  }
}
