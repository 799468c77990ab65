import type { Command } from '../command';
import { createKeyCommand, createOrganizationCommand, grantCreditsCommand, listOrganizationsCommand } from './organizations';
import { assignPlanCommand, savePlanCommand, setPricesCommand, showTermsCommand } from './terms';
import { deadEventsCommand, listActionsCommand, reindexCommand, retryEventsCommand, sealSecretsCommand } from './upkeep';

/** Everything that an operator can do, in the order of the usage text. */
export const commands: readonly Command[] = [
  createOrganizationCommand,
  listOrganizationsCommand,
  createKeyCommand,
  grantCreditsCommand,
  setPricesCommand,
  savePlanCommand,
  assignPlanCommand,
  showTermsCommand,
  reindexCommand,
  deadEventsCommand,
  retryEventsCommand,
  sealSecretsCommand,
  listActionsCommand,
];
