import { hasAsterisk, TestAsterisk } from './asterisk';

const real = hasAsterisk() ? it : it.skip;

real('runs a real Asterisk with a dialplan of its own and nothing of the machine (needs Debian’s asterisk)', async () => {
  const files = { 'extensions.conf': '[greeting]\nexten => 100,1,Answer()\nsame => n,Hangup()\n' };
  const asterisk = await TestAsterisk.start({ modules: ['pbx_config', 'app_audiosocket', 'res_audiosocket'], files });
  try {
    expect(await asterisk.command('dialplan show greeting')).toContain("'100'");
    expect(await asterisk.command('core show application AudioSocket')).toContain('AudioSocket');
  } finally {
    await asterisk.stop();
  }
});
