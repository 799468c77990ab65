// The measured process: answers every call, sends sound continuously, receives sound, and finally reports how late it was.
import { FrameClock, SipEndpoint } from '@parley/sip';

const speech = new Uint8Array(8000).map((_, i) => 0x40 + (i % 64));

async function main(): Promise<void> {
  const clock = new FrameClock();
  let heardBytes = 0;
  const endpoint = await SipEndpoint.open({
    host: '127.0.0.1',
    port: 0,
    media: { host: '127.0.0.1', from: 40_000, to: 41_999 },
    admission: { trusted: ['127.0.0.1'] },
    callsMax: 1000,
    clock,
    incoming: (call) => {
      const speak = (): void => {
        call.sound.send(speech);
        call.sound.mark('more');
      };
      call.listen({
        sound: ({ payload }) => (heardBytes += payload.length),
        marks: speak,
      });
      call.answer();
      speak();
    },
  });
  process.stdout.write(`${endpoint.address.port}\n`);
  process.stdin.on('data', () => process.stdout.write(`${JSON.stringify({ ...clock.punctuality, heardBytes })}\n`));
}

void main();
