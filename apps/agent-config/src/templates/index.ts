import { type AgentTemplate, templateEntry } from './agent-template';
import { appointmentBooking } from './appointment-booking';
import { clinic } from './clinic';
import { delivery } from './delivery';
import { education } from './education';
import { frontDesk } from './front-desk';
import { hotel } from './hotel';
import { leadQualification } from './lead-qualification';
import { orderStatus } from './order-status';
import { paymentReminder } from './payment-reminder';
import { realEstate } from './real-estate';
import { survey } from './survey';
import { techSupport } from './tech-support';

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
