import { Controller, Get } from '@nestjs/common';
import { SkipThrottle } from '@nestjs/throttler';
import { RequiredAccess } from '../endpoint/endpoint';

/** Whether the public door answers. Whether its process is ready for traffic is told on the admin port. */
@SkipThrottle()
@Controller('health')
@RequiredAccess({ keys: 'public', needs: 'nothing' })
export class HealthController {
  @Get()
  live(): { status: string } {
    return { status: 'live' };
  }
}
