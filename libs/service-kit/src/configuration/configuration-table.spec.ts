import { z } from 'zod';
import { describeConfiguration, renderConfiguration } from './load-configuration';
import { port, variableText } from './variables';

const config = z.object({
  PORT: port().default(8080).meta({ description: 'The public port.', example: '8081' }),
  SIGNING_KEY: variableText().default('only for a laptop').meta({ description: 'Signs tokens.', secret: true }),
  NAME: variableText().meta({ description: 'Yes | no.' }),
});

describe('the table of configuration', () => {
  const rows = describeConfiguration([{ name: 'gateway', config }]);

  it('has a described row for every variable of the platform and of each service', () => {
    expect(rows.map((row) => row.variable)).toEqual(
      expect.arrayContaining(['NATS_URL', 'DATABASE_URL', 'DRAIN_SECONDS', 'PORT']),
    );
    expect(rows.filter((row) => row.description === '' || row.expected === '')).toEqual([]);
  });

  it('shows defaults, but never that of a secret', () => {
    const section = renderConfiguration(rows.filter((row) => row.service === 'gateway'));
    expect(section.split('\n')).toEqual([
      '## gateway',
      '',
      '| Variable | Meaning | Expected | If absent | Example |',
      '|---|---|---|---|---|',
      '| `PORT` | The public port. | an integer from 0 to 65535 | `8080` | `8081` |',
      '| `SIGNING_KEY` | Signs tokens. **Secret.** | text in one line | – |  |',
      '| `NAME` | Yes \\| no. | text in one line | the start stops |  |',
      '',
    ]);
  });

  it('refuses a variable without a description', () => {
    const silent = z.object({ MUTE: variableText() });
    expect(() => describeConfiguration([{ name: 'speech', config: silent }])).toThrow(
      'speech: MUTE has no .meta({ description })',
    );
  });
});
