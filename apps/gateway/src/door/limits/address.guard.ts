import { type ExecutionContext, Injectable } from '@nestjs/common';
import { ThrottlerGuard } from '@nestjs/throttler';
import { Fault } from '@parley/contracts';
import { endpointIn } from '../../endpoint/endpoint';

/** The package's own guard, for what the gateway serves beside its endpoints. Those were counted at their admission. */
@Injectable()
export class AddressGuard extends ThrottlerGuard {
  override canActivate(context: ExecutionContext): Promise<boolean> {
    return endpointIn(context) ? Promise.resolve(true) : super.canActivate(context);
  }

  protected override throwThrottlingException(
    _context: ExecutionContext,
    { timeToBlockExpire }: { timeToBlockExpire: number },
  ): Promise<void> {
    return Promise.reject(new Fault('RATE_LIMITED', { retryAfterSeconds: timeToBlockExpire }));
  }
}
