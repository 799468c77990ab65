// One replica of the suite's agent-config in a process of its own, for tests that kill it.
import { createRequire } from 'node:module';
import '../../bench/typescript.mjs';

const require = createRequire(import.meta.url);
require('reflect-metadata');
const { NatsTransport } = require('../index.ts');
const { House } = require('./house.ts');

const house = new House({ connect: () => NatsTransport.connect({ servers: process.argv[2], name: 'replica' }) });
await house.start('agent-config', 'killed');
process.send('ready');
await house.diary.has('toils');
process.send('toils');
