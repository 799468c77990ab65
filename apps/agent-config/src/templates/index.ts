import { type AgentTemplate, templateEntry } from './agent-template';
import { appointmentBooking } from './appointment-booking';

const templates: readonly AgentTemplate[] = [appointmentBooking];

/** Every template as a choice of its lookup. */
export const templateEntries = templates.map(templateEntry);
