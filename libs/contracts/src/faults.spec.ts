import { Fault, faultCatalogue, faultCodes } from './faults';

describe('a fault', () => {
  const frames = (error: Error): number => error.stack?.match(/^ +at /gm)?.length ?? 0;

  it('records where it was noticed only if it is ours and not the client’s', () => {
    const recorded = faultCodes.map((code) => [code, frames(new Fault(code)) > 0]);
    expect(recorded).toEqual(faultCodes.map((code) => [code, faultCatalogue[code].status >= 500]));
  });

  it('leaves the stacks of other errors as they are', () => {
    const before = frames(new Error('before'));
    const cause = new Error('why');
    const fault = new Fault('NOT_FOUND', { cause });
    expect([frames(new Error('after')), fault.cause, frames(cause) > 0]).toEqual([before, cause, true]);
  });
});
