import { Controller } from '@nestjs/common';
import { listRoles } from '@parley/contracts';
import { Handles } from '@parley/messaging';
import { everyRole } from './role-names';

/** The roles as a form offers them. */
@Controller()
export class RolesController {
  @Handles(listRoles)
  list() {
    return everyRole;
  }
}
