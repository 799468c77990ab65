import { Fault, type FaultDetail } from '@parley/contracts';

/** A VALIDATION_FAILED about fields whose values only this service can judge. Each message is a whole sentence. */
export function invalidFields(details: FaultDetail[]): Fault {
  const [first] = details;
  return new Fault('VALIDATION_FAILED', { details, ...(first && { message: first.message }) });
}
