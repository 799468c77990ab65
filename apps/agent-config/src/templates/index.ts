import { type AgentTemplate, templateEntry } from './agent-template';
import { appointmentBooking, frontDesk, leadQualification, orderStatus, paymentReminder, survey, techSupport } from './by-task';
import { clinic, delivery, education, hotel, realEstate } from './by-trade';

const templates: readonly AgentTemplate[] = [
  appointmentBooking,
  orderStatus,
  leadQualification,
  paymentReminder,
  survey,
  frontDesk,
  techSupport,
  delivery,
  realEstate,
  clinic,
  hotel,
  education,
];

/** Every template as a choice of its lookup. */
export const templateEntries = templates.map(templateEntry);
