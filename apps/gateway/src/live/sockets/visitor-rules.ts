import { Injectable } from '@nestjs/common';
import { Fault, type Variables } from '@parley/contracts';
import type { z } from 'zod';
import { RateLimits } from '../../door/limits/rate-limits';
import type { Admitted } from './socket-admission';

const minuteMs = 60_000;
/** Typed questions in a minute, beside what the plan of the workspace allows. */
const questionsPerMinute = { visitor: 20, address: 60, widget: 600 };
const valueLettersMax = 200;

/** How often those may ask who came in by a socket. */
@Injectable()
export class QuestionLimits {
  constructor(private readonly limits: RateLimits) {}

  /** Takes one question from everybody whose it is; the Fault to tell where one of them has none left. */
  take({ principal, counted, widget, address, requestId }: Admitted): Fault | undefined {
    const ofKey = this.limits.take(widget ? principal : counted, 'chat');
    if (!ofKey.isGranted) return tooFast(ofKey.retrySeconds);
    if (!widget) return undefined;
    const names = {
      visitor: `visitor ${requestId}`,
      address: `widget ${widget.keyId} address ${address}`,
      widget: `widget ${widget.keyId}`,
    };
    const buckets = Object.entries(questionsPerMinute).map(([who, limit]) => {
      const name = `questions of ${names[who === 'visitor' || who === 'address' ? who : 'widget']}`;
      return { name, policy: { limit, intervalMs: minuteMs / limit } };
    });
    const refused = this.limits.quotas.take(buckets).find(({ isGranted }) => !isGranted);
    return refused && tooFast(Math.ceil(refused.retryMs / 1_000));
  }
}

function tooFast(retryAfterSeconds: number): Fault {
  return new Fault('RATE_LIMITED', { retryAfterSeconds });
}

/** What an anonymous visitor may tell an agent: the variables that the widget names, and nothing long. A Fault for anything else. */
export function declaredVariables(given: object | undefined, declared: readonly string[]): z.output<typeof Variables> {
  const details: { field: string; message: string }[] = [];
  const variables: z.output<typeof Variables> = {};
  for (const [name, value] of Object.entries(given ?? {})) {
    const field = `variables.${name.slice(0, 64)}`;
    if (!declared.includes(name)) details.push({ field, message: 'is not declared by this widget' });
    else if (String(value).length > valueLettersMax)
      details.push({ field, message: `must have at most ${valueLettersMax} characters` });
    else if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' || value === null)
      variables[name] = value;
    else details.push({ field, message: 'must be text, a number, true, false or null' });
    if (details.length >= 20) break;
  }
  if (details.length > 0)
    throw new Fault('VALIDATION_FAILED', { message: `${details[0]?.field} ${details[0]?.message}`, details });
  return variables;
}
