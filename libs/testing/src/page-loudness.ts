import type { Page } from 'playwright-core';

/** Measures everything a page plays; to be called before the page is opened. */
export async function measureLoudness(page: Page): Promise<void> {
  await page.addInitScript(measuring);
}

/** How loud the page has been within the last tenth of a second, 0 to 1. */
export async function loudnessOfPage(page: Page): Promise<number> {
  return Number(await page.evaluate('globalThis.loudnessOfPage?.() ?? 0'));
}

// Runs in the browser and connects everything that is played to a meter as well.
const measuring = `
  const connect = AudioNode.prototype.connect;
  AudioNode.prototype.connect = function (target, ...more) {
    if (target instanceof AudioDestinationNode) {
      const meter = new AnalyserNode(this.context, { fftSize: 4096 });
      connect.call(this, meter);
      globalThis.loudnessOfPage = () => {
        const samples = new Float32Array(meter.fftSize);
        meter.getFloatTimeDomainData(samples);
        return Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length);
      };
    }
    return connect.call(this, target, ...more);
  };
`;
